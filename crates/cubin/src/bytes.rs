//! A cursor over bytes of unknown origin: it says `None` at the end, and never panics.

#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    pub data: &'a [u8],
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Self { data, at: 0 }
    }

    pub fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(n)?;
        let out = self.data.get(self.at..end)?;
        self.at = end;
        Some(out)
    }

    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[b]| b)
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// Up to a NUL, which is skipped.
    pub fn c_str(&mut self) -> Option<&'a [u8]> {
        let rest = self.data.get(self.at..)?;
        let len = rest.iter().position(|b| *b == 0)?;
        self.at += len + 1;
        Some(&rest[..len])
    }

    pub fn uleb(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..70).step_by(7) {
            let byte = self.u8()?;
            if shift < 64 {
                value |= u64::from(byte & 0x7f) << shift;
            }
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub fn sleb(&mut self) -> Option<i64> {
        let mut value = 0i64;
        for shift in (0..70).step_by(7) {
            let byte = self.u8()?;
            if shift < 64 {
                value |= i64::from(byte & 0x7f) << shift;
            }
            if byte & 0x80 == 0 {
                if byte & 0x40 != 0 && shift + 7 < 64 {
                    value |= -1i64 << (shift + 7);
                }
                return Some(value);
            }
        }
        None
    }
}
