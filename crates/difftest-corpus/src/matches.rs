//! Control flow: matches with guards, bindings and ranges; loops with labels; wide integers and characters as scrutinees.

#[inline(never)]
fn classify(x: i128) -> u32 {
    match x {
        i128::MIN => 1,
        -1 => 2,
        0 => 3,
        1..=99 => 4,
        0x1_0000_0000_0000_0000 => 5,
        n if n < 0 => 6,
        i128::MAX => 7,
        _ => 8,
    }
}

difftest::diff! {
    tag matches;

    fn wide_integers(x: i128, y: u128) -> (u32, u32) {
        let b = match y {
            0 => 1,
            0xffff_ffff_ffff_ffff => 2,
            0x1_0000_0000_0000_0000 => 3,
            u128::MAX => 4,
            _ => 5,
        };
        (classify(x), b)
    }

    fn characters(c: char) -> (u32, bool) {
        let kind = match c {
            '0'..='9' => 1,
            'a'..='f' | 'A'..='F' => 2,
            '\u{80}'..='\u{7ff}' => 3,
            '🦀' => 4,
            char::MAX => 5,
            _ => 6,
        };
        (kind, c.is_ascii_alphabetic())
    }

    fn tuples_with_guards(x: i32, y: i32, b: bool) -> (u32, i32) {
        match (x, y, b) {
            (0, _, true) => (1, y),
            (a, 0, _) if a > 0 => (2, a),
            (a @ 1..=10, c @ (3 | 5 | 7), _) => (3, a * c),
            (a, c, _) if a == c => (4, a),
            (i32::MIN, .., false) => (5, y),
            (a, c, d) if d && a.wrapping_add(c) < 0 => (6, a.wrapping_add(c)),
            _ => (7, x ^ y),
        }
    }

    fn references_in_patterns(a: u8, some: bool, n: u32, x: u32) -> (u32, u32) {
        let v = [(a, if some { Some(n) } else { None })];
        let [(a, o)] = &v;
        let n = match (a, o.as_ref()) {
            (0, None) => 1,
            (_, Some(&n)) if n == x => 2,
            (&a, Some(n @ &(10..=20))) => *n + a as u32,
            (_, Some(_)) => 3,
            (_, None) => 4,
        };
        (n, x)
    }

    fn labelled_loops(x: u32, y: u32) -> (u32, u32) {
        let mut count = 0;
        let found = 'outer: loop {
            for i in 0..20u32 {
                if i * 7 % 20 == x % 20 {
                    for j in (0..10).rev() {
                        count += 1;
                        if j == y % 10 {
                            break 'outer i * 100 + j;
                        }
                        if count > 50 {
                            continue 'outer;
                        }
                    }
                }
            }
            break 7;
        };
        (found, count)
    }

    fn blocks_with_values(x: u32) -> u32 {
        let a = 'a: {
            if x & 1 == 0 {
                break 'a 5;
            }
            let b = 'b: {
                if x & 2 == 0 {
                    break 'b x;
                }
                break 'a x.wrapping_mul(2);
            };
            b ^ 1
        };
        a.wrapping_add(if let 0..=9 = x { 1 } else if x > 1 << 31 { 2 } else { 3 })
    }

    fn let_else_and_chains(x: u32, y: u32) -> u32 {
        let Some(n) = x.checked_sub(y) else {
            return y - x;
        };
        if let Some(m) = n.checked_mul(3)
            && m > 30
            && let [a, .., b] = m.to_le_bytes()
        {
            return a as u32 + b as u32;
        }
        n
    }

    fn sparse_and_dense_switches(x: u16, y: i8) -> (u32, u32) {
        let a = match x {
            0 => 3,
            1 => 1,
            2 => 4,
            3 => 1,
            4 => 5,
            5 => 9,
            1000 => 26,
            30_000..=u16::MAX => 5,
            _ => 35,
        };
        let b = match y {
            i8::MIN..=-100 => 1,
            -99..0 => 2,
            0 => 3,
            1.. => 4,
        };
        (a, b)
    }

    fn booleans_short_circuit(x: u32, y: u32) -> (bool, u32) {
        let mut calls = 0;
        let mut ask = |bit: u32| {
            calls = calls * 10 + bit + 1;
            (x ^ y) >> bit & 1 == 1
        };
        let r = ask(0) && ask(1) || ask(2) && (ask(3) || !ask(4));
        (r, calls)
    }

    fn a_state_machine(v: [u8; 12]) -> (u32, u32) {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            Start,
            Sign { negative: bool },
            Digits(i32, bool),
            Done(i32),
            Error,
        }
        let mut state = State::Start;
        for x in v {
            let c = b" -+0129."[(x & 7) as usize];
            state = match (state, c) {
                (State::Start, b' ') => State::Start,
                (State::Start, b'-' | b'+') => State::Sign { negative: c == b'-' },
                (State::Start, b'0'..=b'9') => State::Digits((c - b'0') as i32, false),
                (State::Sign { negative }, b'0'..=b'9') => State::Digits((c - b'0') as i32, negative),
                (State::Digits(n, negative), b'0'..=b'9') => State::Digits(n.wrapping_mul(10) + (c - b'0') as i32, negative),
                (State::Digits(n, negative), b' ' | b'.') => State::Done(if negative { -n } else { n }),
                (done @ State::Done(_), b' ') => done,
                _ => State::Error,
            };
            if state == State::Error {
                break;
            }
        }
        match state {
            State::Done(n) => (1, n as u32),
            State::Digits(n, negative) => (2 + negative as u32, n as u32),
            State::Error => (9, 0),
            State::Start | State::Sign { .. } => (8, 0),
        }
    }

    fn strings_in_patterns(n: u8) -> u32 {
        let s = ["red", "green", "blue", "", "greens"][n as usize % 5];
        match s {
            "red" => 1,
            "green" => 2,
            "" => 3,
            other if other.len() > 5 => 4,
            _ => 5,
        }
    }

    fn divergent_loops(x: u32, y: u8) -> (u32, u32) {
        let mut x = x;
        let mut rounds = 0;
        while x != 0 && rounds < 100 {
            if x & 1 == 1 {
                x >>= 1 + (y & 1);
            } else if x % 3 == 0 {
                x -= 1;
                if x > 1 << 20 {
                    rounds += 1;
                    continue;
                }
            } else {
                x /= 2;
            }
            rounds += 1;
        }
        (x, rounds)
    }
}
