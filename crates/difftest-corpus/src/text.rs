//! Strings and bytes without allocation.

#[inline(never)]
fn words(text: &str) -> u32 {
    text.split(|c: char| c == ' ').filter(|word| !word.is_empty()).count() as u32
}

const TEXTS: [&str; 5] = ["", "plain words here", " né à Orléans ", "漢字 🦀🦀", "x=12;y=-7;;z"];

difftest::diff! {
    tag text;

    fn characters_of_a_string(n: u8) -> (u32, u32, u32) {
        let text = TEXTS[n as usize % 5];
        (text.chars().count() as u32, text.chars().map(|c| c as u32).fold(0, |a, c| a * 3 % 1_000_003 + c), text.len() as u32)
    }

    fn characters_backwards(n: u8) -> (u32, u32) {
        let text = TEXTS[n as usize % 5];
        let last = text.chars().next_back().map_or(0, |c| c as u32);
        (last, text.chars().rev().enumerate().map(|(i, c)| c as u32 * (i as u32 + 1)).sum())
    }

    fn places_of_characters(n: u8, c: char) -> (Option<u32>, u32) {
        let text = TEXTS[n as usize % 5];
        let at = text.char_indices().find(|(_, d)| *d == c || *d == ' ').map(|(i, _)| i as u32);
        (at, text.bytes().filter(|b| *b == b' ').count() as u32)
    }

    fn bytes_of_a_string(n: u8, at: u8) -> (u32, bool) {
        let bytes = TEXTS[n as usize % 5].as_bytes();
        (bytes.get(at as usize % 8).map_or(0, |b| b.to_ascii_uppercase() as u32), bytes.iter().all(|b| b.is_ascii()))
    }

    fn encode_a_character(c: char) -> (u32, [u8; 4], u32) {
        let mut buffer = [0; 4];
        let length = c.encode_utf8(&mut buffer).len();
        (length as u32, buffer, c.len_utf16() as u32)
    }

    fn ascii_cases(c: char, b: u8) -> (char, char, u8, [bool; 4]) {
        (
            c.to_ascii_uppercase(),
            c.to_ascii_lowercase(),
            b.to_ascii_lowercase(),
            [b.is_ascii_digit(), b.is_ascii_punctuation(), c.is_ascii_whitespace(), b.eq_ignore_ascii_case(&b'q')],
        )
    }

    fn strings_compare(m: u8, n: u8) -> (i32, bool, bool) {
        let (a, b) = (TEXTS[m as usize % 5], TEXTS[n as usize % 5]);
        (a.cmp(b) as i32, a == b, a.as_bytes() <= b.as_bytes())
    }

    fn numbers_from_bytes(v: [u8; 5]) -> (Option<u32>, u32) {
        let digits = v.map(|x| b'0' + x % 11);
        let n = digits.iter().try_fold(0u32, |n, d| {
            let d = (*d as char).to_digit(10)?;
            n.checked_mul(10)?.checked_add(d)
        });
        (n, digits.iter().take_while(|d| d.is_ascii_digit()).count() as u32)
    }

    fn numbers_to_bytes(x: u32) -> ([u8; 10], u32) {
        let mut out = [b' '; 10];
        let mut x = x;
        let mut at = 10;
        loop {
            at -= 1;
            out[at] = b'0' + (x % 10) as u8;
            x /= 10;
            if x == 0 {
                break;
            }
        }
        (out, 10 - at as u32)
    }

    // Slicing of text and these methods carry panics with formatted messages.
    fn split_at_a_letter(n: u8) -> (u32, u32, u32) {
        let text = TEXTS[n as usize % 5];
        let longest = text.split('e').map(|w| w.len() as u32).max().unwrap_or(0);
        (longest, text.split('a').count() as u32, text.find("re").map_or(99, |at| at as u32))
    }

    fn all_ascii(v: [u8; 20], n: u8) -> (bool, bool, bool) {
        let masked = v.map(|b| b & 0x7f);
        let n = n as usize % 21;
        (v.is_ascii(), masked.is_ascii(), v[..n].is_ascii())
    }

    fn split_into_words(n: u8) -> u32 {
        words(TEXTS[n as usize % 5])
    }
}
