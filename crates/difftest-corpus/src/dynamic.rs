//! Trait objects.

trait Shape {
    fn area(&self) -> u32;
    fn scale(&mut self, by: u32);
    fn name(&self) -> &'static str {
        "shape"
    }
}

struct Square(u32);
struct Rect {
    wide: bool,
    w: u16,
    h: u64,
}

impl Shape for Square {
    fn area(&self) -> u32 {
        self.0.wrapping_mul(self.0)
    }
    fn scale(&mut self, by: u32) {
        self.0 = self.0.wrapping_mul(by);
    }
}

impl Shape for Rect {
    fn area(&self) -> u32 {
        (self.h as u32).wrapping_mul(self.w as u32) ^ self.wide as u32
    }
    fn scale(&mut self, by: u32) {
        self.h = self.h.wrapping_mul(by as u64);
    }
    fn name(&self) -> &'static str {
        "rect"
    }
}

difftest::diff! {
    tag dynamic;

    fn a_choice_of_objects(x: u32, y: u64, which: bool) -> (u32, u32) {
        let (s, r) = (Square(x), Rect { wide: which, w: x as u16, h: y });
        let shape: &dyn Shape = if which { &s } else { &r };
        (shape.area(), shape.name().len() as u32)
    }

    fn an_array_of_objects(x: u32, y: u64, at: u8) -> (u32, u32) {
        let (s, r, t) = (Square(x), Rect { wide: true, w: 3, h: y }, Square(7));
        let all: [&dyn Shape; 3] = [&s, &r, &t];
        (all.iter().fold(0u32, |a, shape| a.wrapping_mul(3).wrapping_add(shape.area())), all[at as usize % 3].area())
    }

    fn objects_changed_in_place(x: u32, by: u32, which: bool) -> (u32, u32) {
        let (mut s, mut r) = (Square(x), Rect { wide: false, w: 5, h: 1 });
        {
            let shape: &mut dyn Shape = if which { &mut s } else { &mut r };
            shape.scale(by);
            shape.scale(3);
        }
        (s.area(), r.area())
    }

    fn closures_as_objects(x: u32, y: u32, which: u8) -> (u32, u32) {
        let add = move |a: u32| a.wrapping_add(y);
        let mul = |a: u32| a.wrapping_mul(y);
        let f: &dyn Fn(u32) -> u32 = match which % 3 {
            0 => &add,
            1 => &mul,
            _ => &u32::swap_bytes,
        };
        let mut total = 0u32;
        let g: &mut dyn FnMut(u32) = &mut |a| total = total.wrapping_add(f(a));
        g(x);
        g(y);
        (total, f(f(x)))
    }

    fn sizes_through_objects(which: bool) -> (u32, u32) {
        let (s, r) = (Square(1), Rect { wide: which, w: 1, h: 1 });
        let shape: &dyn Shape = if which { &s } else { &r };
        (size_of_val(shape) as u32, align_of_val(shape) as u32)
    }
}
