//! A session of `cargo oxide debug` from a file of commands, exactly; addresses aside.

mod common;

use expect_test::expect;

/// Hexadecimal numbers are addresses.
fn without_addresses(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("0x") {
        out += &rest[..at + 2];
        out.push('…');
        rest = rest[at + 2..].trim_start_matches(|c: char| c.is_ascii_hexdigit());
    }
    out + rest
}

#[test]
fn stop_look_and_go_on() {
    let root = common::crates().parent().unwrap().to_path_buf();
    let script = common::target_dir().join(format!("debug-{}.txt", std::process::id()));
    let commands = "break main.rs:16\nrun\nbt\nprint a[3]\nprint c.len\ninfo cuda kernels\nnext\ndelete\ncontinue\n";
    std::fs::write(&script, commands).unwrap();
    let out = common::command()
        .args(["debug", "vecadd", "--quiet", "--batch", "-x"])
        .arg(&script)
        .current_dir(root)
        .output()
        .unwrap();
    std::fs::remove_file(script).unwrap();
    let said = String::from_utf8(out.stdout).unwrap();
    expect![[r#"
        (oxide) break main.rs:16
        Breakpoint 1 is pending: no kernel has been loaded yet.
        (oxide) run
        Breakpoint 1 is set: 1 location.
        [Focus: kernel 0, grid 1, block (0,0,0), thread (0,0,0), sm 0, warp 0, lane 0]
        Breakpoint 1, vecadd::kernels::vecadd at examples/vecadd/src/main.rs:16
        16	            *sum = a[n] + b[n];
        (oxide) bt
        *#0 vecadd::kernels::vecadd (a=&[f32] {ptr: 0x…, len: 100003}, b=&[f32] {ptr: 0x…, len: 100003}, c=DisjointSlice<f32> {ptr: 0x…, len: 100003}) at examples/vecadd/src/main.rs:16:20
        (oxide) print a[3]
        a[3] = 1.5
        (oxide) print c.len
        c.len = 100003
        (oxide) info cuda kernels
        Kernel  Grid  State  GridDim  BlockDim  Name
        *0  1  active  (391,1,1)  (256,1,1)  vecadd
        (oxide) next
        vecadd::kernels::vecadd at examples/vecadd/src/main.rs:18
        18	    }
        (oxide) delete
        (oxide) continue
        SUCCESS: 100003 elements
        [The program has ended]
    "#]].assert_eq(&without_addresses(&said));
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
}
