//! Methods of floats that are exact, so that they agree to the bit; crate `math-ulp` measures the others.

difftest::diff! {
    tag math;

    // Multiplications in an order of their own: the same on both sides.
    fn integer_powers(x: f32, y: f64, n: i8) -> (f32, f64) {
        (x.powi(n as i32), y.powi(n as i32))
    }

    fn euclidean_remainders(x: f32, y: f32) -> (f32, f32) {
        (x.rem_euclid(y), x.div_euclid(y))
    }

    fn euclidean_remainders_f64(x: f64, y: f64) -> (f64, f64) {
        (x.rem_euclid(y), x.div_euclid(y))
    }

    fn angles(x: f32, y: f64) -> (f32, f32, f64, f64) {
        (x.to_degrees(), x.to_radians(), y.to_degrees(), y.to_radians())
    }

    fn parts(x: f64, y: f32) -> (f64, f64, f32, f32) {
        (x.fract(), x.recip(), y.fract(), y.recip())
    }

    fn neighbours(x: f32, y: f64) -> (f32, f32, f64, f64) {
        (x.next_up(), x.next_down(), y.next_up(), y.next_down())
    }

    fn midpoints(x: f32, y: f32, a: f64, b: f64) -> (f32, f64) {
        (x.midpoint(y), a.midpoint(b))
    }

    // Ends and exact points of functions that are not exact elsewhere.
    fn exact_points(n: u8) -> [f64; 8] {
        let x = (n % 2) as f64;
        let big = if n % 3 == 0 { f64::INFINITY } else { f64::NEG_INFINITY };
        [
            (x - x).sin(),
            (x - x).cos(),
            big.exp(),
            (1.0 + x - x).ln(),
            (x + 2.0 - x).powf(10.0),
            (x - x).tan(),
            8f64.cbrt() + x,
            3f64.hypot(4.0) - x,
        ]
    }
}
