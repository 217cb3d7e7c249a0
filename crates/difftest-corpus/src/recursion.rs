//! Functions that call themselves and each other.

fn factorial(n: u64) -> u64 {
    if n == 0 { 1 } else { n.wrapping_mul(factorial(n - 1)) }
}

fn fibonacci(n: u32) -> u32 {
    if n < 2 { n } else { fibonacci(n - 1) + fibonacci(n - 2) }
}

fn ackermann(m: u32, n: u32) -> u32 {
    match (m, n) {
        (0, n) => n + 1,
        (m, 0) => ackermann(m - 1, 1),
        (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
    }
}

fn is_even(n: u32) -> bool {
    n == 0 || is_odd(n - 1)
}

fn is_odd(n: u32) -> bool {
    n != 0 && is_even(n - 1)
}

fn hanoi(n: u32, from: u32, to: u32, via: u32, moves: &mut [u32; 3]) {
    if n > 0 {
        hanoi(n - 1, from, via, to, moves);
        moves[from as usize] = moves[from as usize].wrapping_mul(3).wrapping_add(to + n);
        hanoi(n - 1, via, to, from, moves);
    }
}

fn quicksort(v: &mut [i32]) {
    if v.len() < 2 {
        return;
    }
    let pivot = v[v.len() - 1];
    let mut store = 0;
    for i in 0..v.len() - 1 {
        if v[i] < pivot {
            v.swap(i, store);
            store += 1;
        }
    }
    let last = v.len() - 1;
    v.swap(store, last);
    let (left, right) = v.split_at_mut(store);
    quicksort(left);
    quicksort(&mut right[1..]);
}

fn permutations(v: &mut [u8; 4], k: usize, seen: &mut u32) {
    if k == v.len() {
        let number = v.iter().fold(0u32, |n, x| n * 7 + *x as u32);
        *seen = seen.wrapping_mul(31).wrapping_add(number);
        return;
    }
    for i in k..v.len() {
        v.swap(k, i);
        permutations(v, k + 1, seen);
        v.swap(k, i);
    }
}

fn queens(row: u32, columns: u32, left: u32, right: u32, n: u32) -> u32 {
    if row == n {
        return 1;
    }
    let mut free = !(columns | left | right) & ((1 << n) - 1);
    let mut count = 0;
    while free != 0 {
        let bit = free & free.wrapping_neg();
        free ^= bit;
        count += queens(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1, n);
    }
    count
}

enum Expr<'a> {
    Number(i64),
    Add(&'a Expr<'a>, &'a Expr<'a>),
    Mul(&'a Expr<'a>, &'a Expr<'a>),
    Neg(&'a Expr<'a>),
    If(&'a Expr<'a>, &'a Expr<'a>, &'a Expr<'a>),
}

fn eval(e: &Expr) -> i64 {
    match e {
        Expr::Number(n) => *n,
        Expr::Add(a, b) => eval(a).wrapping_add(eval(b)),
        Expr::Mul(a, b) => eval(a).wrapping_mul(eval(b)),
        Expr::Neg(a) => eval(a).wrapping_neg(),
        Expr::If(c, a, b) => {
            if eval(c) != 0 {
                eval(a)
            } else {
                eval(b)
            }
        }
    }
}

/// A parser of sums and products by recursive descent.
struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(b'$')
    }

    fn sum(&mut self) -> u32 {
        let mut value = self.product();
        while self.peek() == b'+' {
            self.at += 1;
            value = value.wrapping_add(self.product());
        }
        value
    }

    fn product(&mut self) -> u32 {
        let mut value = self.atom();
        while self.peek() == b'*' {
            self.at += 1;
            value = value.wrapping_mul(self.atom());
        }
        value
    }

    fn atom(&mut self) -> u32 {
        match self.peek() {
            b'(' => {
                self.at += 1;
                let value = self.sum();
                self.at += (self.peek() == b')') as usize;
                value
            }
            d @ b'0'..=b'9' => {
                self.at += 1;
                (d - b'0') as u32
            }
            _ => {
                self.at += 1;
                1000
            }
        }
    }
}

difftest::diff! {
    tag recursion;

    fn factorials(n: u8) -> u64 {
        factorial((n & 31) as u64)
    }

    fn two_calls_of_itself(n: u8) -> u32 {
        fibonacci((n % 12) as u32)
    }

    fn a_call_inside_a_call(m: u8, n: u8) -> u32 {
        ackermann((m % 3) as u32, (n % 5) as u32)
    }

    fn each_other(n: u8) -> [bool; 2] {
        [is_even((n & 63) as u32), is_odd((n & 63) as u32)]
    }

    fn towers(n: u8) -> [u32; 3] {
        let mut moves = [0; 3];
        hanoi((n % 6) as u32, 0, 2, 1, &mut moves);
        moves
    }

    fn quick_sort(v: [i32; 10]) -> [i32; 10] {
        let mut v = v;
        quicksort(&mut v);
        v
    }

    fn all_permutations(v: [u8; 4]) -> u32 {
        let mut v = v;
        let mut seen = 0;
        permutations(&mut v, 0, &mut seen);
        seen
    }

    fn queens_on_a_board(n: u8) -> u32 {
        queens(0, 0, 0, 0, (n % 6) as u32 + 1)
    }

    fn an_expression_tree(x: i64, y: i64) -> (i64, i64) {
        let (a, b) = (Expr::Number(x), Expr::Number(y));
        let sum = Expr::Add(&a, &b);
        let product = Expr::Mul(&sum, &b);
        let negative = Expr::Neg(&product);
        let choice = Expr::If(&a, &negative, &sum);
        (eval(&negative), eval(&choice))
    }

    fn a_recursive_parser(v: [u8; 9]) -> (u32, u32) {
        const LETTERS: [u8; 8] = *b"3+*(7)5$";
        let text = v.map(|x| LETTERS[(x & 7) as usize]);
        let mut parser = Parser { text: &text, at: 0 };
        (parser.sum(), parser.at as u32)
    }

    fn a_generic_recursion(x: u32, n: u8) -> u64 {
        fn power<T: Copy>(x: T, n: u32, one: T, times: fn(T, T) -> T) -> T {
            if n == 0 {
                return one;
            }
            let half = power(x, n / 2, one, times);
            let square = times(half, half);
            if n % 2 == 1 { times(square, x) } else { square }
        }
        power(x as u64, (n & 31) as u32, 1, u64::wrapping_mul) ^ power(x, 3, 1, u32::wrapping_mul) as u64
    }

    fn a_slice_that_shrinks(v: [u32; 8]) -> (u32, u32) {
        fn depth(v: &[u32]) -> u32 {
            match v {
                [] => 0,
                [first, rest @ ..] => 1 + if first & 1 == 0 { depth(rest) } else { depth(&rest[rest.len() / 2..]) },
            }
        }
        fn largest(v: &[u32]) -> u32 {
            match v {
                [] => 0,
                [x] => *x,
                _ => {
                    let (a, b) = v.split_at(v.len() / 2);
                    largest(a).max(largest(b))
                }
            }
        }
        (depth(&v), largest(&v))
    }
}
