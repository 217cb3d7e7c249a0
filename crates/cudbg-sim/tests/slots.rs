//! Every slot, called from the debugger's side of the socket: without a program's doing, with null pointers, and on a stopped kernel.

use cudbg::CUDBGResult as R;
use cudbg::*;
use cudbg_sim::program::{Launched, launch};
use cudbg_sim::slots::{Support, superfluous_reasons, support, there};
use cudbg_sim::{client, program};
use gpu_sim::{Config, Device, LaunchParams, Module};
use std::ffi::{c_char, c_void};
use std::os::unix::net::UnixStream;

const PTX: &str = ".version 8.0\n.target sm_90\n.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	.reg .pred %p<2>;
	.shared .align 4 .b8 s[128];
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	setp.gt.u32 %p1, %r1, 3;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r1;
	ret;
}
";

fn zero<T: Copy>() -> T {
    // SAFETY: the API's arguments are numbers and pointers.
    unsafe { std::mem::zeroed() }
}

macro_rules! call_all {
    ($({ $index:literal $name:ident $age:ident ($($arg:ident: $ty:ty = $kind:ident $(($n:tt))?),*) })*) => {
        /// What each slot answers to zeros and null pointers. `initialize`, `finalize` and `resumeDevice` are left out: they change what the others answer.
        fn with_nothing(t: &CUDBGAPI_st) -> Vec<(&'static str, R)> {
            let mut all = Vec::new();
            $(if !matches!(stringify!($name), "initialize" | "finalize" | "resumeDevice") {
                // SAFETY: null pointers are allowed: the answer is an error.
                all.push((stringify!($name), unsafe { t.$name.unwrap()($(zero::<$ty>()),*) }));
            })*
            all
        }
    };
}
for_each_slot!(call_all);

/// Slots to which zeros are good arguments.
const FINE: &[&str] = &[
    "acknowledgeSyncEvents",
    "setKernelLaunchNotificationMode",
    "setNotifyNewEventCallback",
    "writeRegister",
];

unsafe extern "C" fn notified(data: *mut CUDBGEventCallbackData) {
    // SAFETY: the data is the sender that was set; it lives to the end of the test.
    let sender = unsafe { &*(*data).userData.cast::<std::sync::mpsc::Sender<R>>() };
    // A call from here is an error.
    // SAFETY: no pointers.
    let code = unsafe { client_table().acknowledgeSyncEvents.unwrap()() };
    let _ = sender.send(code);
}

static TABLE: std::sync::OnceLock<&'static CUDBGAPI_st> = std::sync::OnceLock::new();

fn client_table() -> &'static CUDBGAPI_st {
    TABLE.get().unwrap()
}

#[test]
fn the_table_says_for_each_slot_whether_it_is_there() {
    assert_eq!(superfluous_reasons(), Vec::<&str>::new());
    for s in SLOTS.iter().filter(|s| s.current) {
        assert_ne!(
            support(s),
            Support::Absent("not yet"),
            "{} needs a reason of its own",
            s.name
        );
    }
    assert_eq!(
        there()
            .filter(|n| SLOTS.iter().any(|s| s.name == *n))
            .count(),
        74
    );
}

#[test]
fn a_session_through_every_slot() {
    let device: &'static Device = Box::leak(Box::new(Device::new(Config::default())));
    let (ours, theirs) = UnixStream::pair().unwrap();
    program::attach(device, theirs);
    let api = client::connect(ours).unwrap();
    assert!(TABLE.set(api.table()).is_ok());
    let code = |e: Error| e.code().unwrap();

    // Before `initialize`.
    for (name, answer) in with_nothing(api.table()) {
        let slot = SLOTS.iter().find(|s| s.name == name).unwrap();
        match support(slot) {
            _ if name == "setNotifyNewEventCallback" => assert_eq!(answer, R::CUDBG_SUCCESS),
            Support::Absent(_) => assert_eq!(answer, R::CUDBG_ERROR_NOT_SUPPORTED, "{name}"),
            Support::There => {
                assert!(
                    matches!(
                        answer,
                        R::CUDBG_ERROR_UNINITIALIZED | R::CUDBG_ERROR_INVALID_ARGS
                    ),
                    "{name}: {answer:?}"
                );
            }
        }
    }
    assert_eq!(
        api.finalize().map_err(code),
        Err(R::CUDBG_ERROR_UNINITIALIZED)
    );

    let (sender, notes) = std::sync::mpsc::channel::<R>();
    let sender = Box::leak(Box::new(sender));
    // SAFETY: the sender lives for ever.
    unsafe { api.set_notify_new_event_callback(Some(notified), std::ptr::from_mut(sender).cast()) }
        .unwrap();
    api.initialize().unwrap();

    // A running device.
    assert_eq!(
        api.read_valid_warps(0, 0).map_err(code),
        Err(R::CUDBG_ERROR_RUNNING_DEVICE)
    );
    assert_eq!(
        api.read_valid_warps(1, 0).map_err(code),
        Err(R::CUDBG_ERROR_INVALID_DEVICE)
    );
    assert_eq!(
        (
            api.get_num_devices().unwrap(),
            api.get_num_lanes(0).unwrap()
        ),
        (1, 32)
    );

    // A launch, from a thread of the program.
    let module = Module::load(&device.memory, PTX).unwrap();
    let kernel = module.kernel("k").unwrap();
    let buffer = device.memory.alloc(4 * 40).unwrap();
    let params = LaunchParams {
        grid: [2, 1, 1],
        block: [40, 1, 1],
        params: buffer.to_le_bytes().into(),
        ..LaunchParams::default()
    };
    let program = std::thread::spawn(move || {
        let of = Launched {
            context: 7,
            module: 8,
            function: 9,
            kernel: &kernel,
            side: &[],
        };
        launch(device, &of, &params)
    });
    let next = || {
        assert_eq!(notes.recv().unwrap(), R::CUDBG_ERROR_RECURSIVE_API_CALL);
        let e = api
            .next_event(CUDBGEventQueueType::CUDBG_EVENT_QUEUE_TYPE_SYNC)
            .unwrap()
            .unwrap();
        assert_eq!(
            api.next_event(CUDBGEventQueueType::CUDBG_EVENT_QUEUE_TYPE_SYNC),
            Ok(None)
        );
        e
    };
    assert!(matches!(next(), Event::ContextCreate { context: 7, .. }));
    api.acknowledge_sync_events().unwrap();
    let Event::ElfImageLoaded {
        handle: 8, size, ..
    } = next()
    else {
        panic!()
    };
    let image = api.elf_image(0, 8, size).unwrap();
    assert_eq!((&image[..4], image[18]), (&b"\x7fELF"[..], 190));
    let mut small = vec![0; 10];
    let kind = CUDBGElfImageType::CUDBG_ELF_IMAGE_TYPE_RELOCATED;
    assert_eq!(
        api.get_elf_image_by_handle(0, 8, kind, &mut small)
            .map_err(code),
        Err(R::CUDBG_ERROR_BUFFER_TOO_SMALL)
    );
    assert_eq!(
        api.get_elf_image_by_handle(0, 5, kind, &mut small)
            .map_err(code),
        Err(R::CUDBG_ERROR_INVALID_MODULE)
    );
    let entry = 0x10_0000_0000u64;
    let store = entry + 16 * 5;
    assert_eq!(
        api.disassemble(0, store).unwrap(),
        (16, "st.global.u32 [%rd3], %r1;".to_string())
    );
    assert_eq!(
        api.set_breakpoint(0, 4096).map_err(code),
        Err(R::CUDBG_ERROR_INVALID_ADDRESS)
    );
    assert_eq!(
        api.get_adjusted_code_address(0, store + 3, CUDBGAdjAddrAction::CUDBG_ADJ_NEXT_ADDRESS),
        Ok(store + 16)
    );
    assert_eq!(
        api.get_adjusted_code_address(0, entry, CUDBGAdjAddrAction::CUDBG_ADJ_PREVIOUS_ADDRESS)
            .map_err(code),
        Err(R::CUDBG_ERROR_INVALID_ADDRESS)
    );
    assert!(
        api.is_device_code_address(store as usize).unwrap()
            && !api.is_device_code_address(16).unwrap()
    );
    api.set_breakpoint(0, store).unwrap();
    api.acknowledge_sync_events().unwrap();
    assert!(matches!(
        next(),
        Event::KernelReady {
            grid: 1,
            grid_dim: [2, 1, 1],
            block_dim: [40, 1, 1],
            ..
        }
    ));
    api.acknowledge_sync_events().unwrap();
    assert_eq!(
        next(),
        Event::AllDevicesSuspended {
            broken: 1,
            faulted: 0
        }
    );
    api.acknowledge_sync_events().unwrap();

    // Stopped: null pointers are wrong arguments, for what is there.
    for (name, answer) in with_nothing(api.table()) {
        let slot = SLOTS.iter().find(|s| s.name == name).unwrap();
        match support(slot) {
            _ if FINE.contains(&name) => assert_eq!(answer, R::CUDBG_SUCCESS, "{name}"),
            Support::Absent(_) => assert_eq!(answer, R::CUDBG_ERROR_NOT_SUPPORTED, "{name}"),
            Support::There => {
                let wrong = [
                    R::CUDBG_ERROR_INVALID_ARGS,
                    R::CUDBG_ERROR_SUSPENDED_DEVICE,
                    R::CUDBG_ERROR_INVALID_ADDRESS,
                    R::CUDBG_ERROR_INVALID_WARP_MASK,
                    R::CUDBG_ERROR_INVALID_GRID,
                    R::CUDBG_ERROR_INVALID_MODULE,
                    R::CUDBG_ERROR_ZERO_CALL_DEPTH,
                ];
                assert!(wrong.contains(&answer), "{name}: {answer:?}");
            }
        }
    }
    // SAFETY: the callback as before; the calls above have taken it away.
    unsafe { api.set_notify_new_event_callback(Some(notified), std::ptr::from_mut(sender).cast()) }
        .unwrap();

    // Both blocks' warps are there: block 0 on SM 0, block 1 on SM 1.
    assert_eq!(
        (
            api.read_valid_warps(0, 0),
            api.read_broken_warps(0, 1),
            api.read_valid_warps(0, 2)
        ),
        (Ok(3), Ok(3), Ok(0))
    );
    assert_eq!(
        api.read_valid_warps(0, 99).map_err(code),
        Err(R::CUDBG_ERROR_INVALID_SM)
    );
    assert_eq!(
        api.read_pc(0, 0, 5, 0).map_err(code),
        Err(R::CUDBG_ERROR_INVALID_WARP)
    );
    assert_eq!(
        api.read_pc(0, 0, 1, 8).map_err(code),
        Err(R::CUDBG_ERROR_INVALID_LANE)
    );
    assert_eq!(
        (
            api.read_valid_lanes(0, 0, 1),
            api.read_active_lanes(0, 1, 0)
        ),
        (Ok(0xff), Ok(u32::MAX))
    );
    let at = |d: CuDim3| [d.x, d.y, d.z];
    assert_eq!(at(api.read_block_idx(0, 1, 1).unwrap()), [1, 0, 0]);
    assert_eq!(at(api.read_thread_idx(0, 1, 1, 3).unwrap()), [35, 0, 0]);
    assert_eq!(
        (api.read_pc(0, 0, 1, 2), api.read_virtual_pc(0, 0, 1, 2)),
        (Ok(store), Ok(store))
    );
    assert_eq!(
        (api.read_grid_id(0, 0, 0), api.read_call_depth(0, 0, 0, 0)),
        (Ok(1), Ok(0))
    );
    assert_eq!(
        api.get_grid_status(0, 1),
        Ok(CUDBGGridStatus::CUDBG_GRID_STATUS_ACTIVE)
    );
    assert_eq!(
        api.get_grid_status(0, 2).map_err(code),
        Err(R::CUDBG_ERROR_INVALID_GRID)
    );
    let info = api.get_grid_info(0, 1).unwrap();
    let (module_of, block_dim) = (info.module, info.blockDim);
    assert_eq!((module_of, at(block_dim)), (8, [40, 1, 1]));
    let state = api.read_warp_state(0, 1, 1).unwrap();
    let (lanes, valid) = (state.lane, state.validLanes);
    let (pc, thread) = (lanes[3].virtualPC, lanes[3].threadIdx);
    assert_eq!((valid, pc, at(thread)), (0xff, store, [35, 0, 0]));
    // Registers by number: %r1, then %rd1 to %rd3 with two words each.
    assert_eq!(api.read_register(0, 0, 1, 2, 0), Ok(34));
    let mut words = [0; 2];
    api.read_register_range(0, 0, 1, 2, 5, &mut words).unwrap();
    let address = u64::from(words[0]) | u64::from(words[1]) << 32;
    assert_eq!(address, buffer + 4 * 34);
    let mut predicates = [7; 2];
    api.read_predicates(0, 0, 0, 2, &mut predicates).unwrap();
    assert_eq!(predicates, [0, 0]);
    api.write_predicates(0, 0, 0, 2, &[1]).unwrap();
    api.read_predicates(0, 0, 0, 2, &mut predicates).unwrap();
    assert_eq!(predicates, [1, 0]);
    api.write_register(0, 0, 1, 2, 0, 1000).unwrap();
    // Memory.
    let mut eight = [0; 8];
    api.read_param_memory(0, 0, 0, 0, &mut eight).unwrap();
    assert_eq!(u64::from_le_bytes(eight), buffer);
    assert_eq!(
        api.read_param_memory(0, 0, 0, 4, &mut eight).map_err(code),
        Err(R::CUDBG_ERROR_INVALID_MEMORY_ACCESS)
    );
    api.write_shared_memory(0, 0, 0, 4, &[1, 2, 3, 4]).unwrap();
    api.read_shared_memory(0, 0, 1, 0, &mut eight).unwrap();
    assert_eq!(eight, [0, 0, 0, 0, 1, 2, 3, 4]);
    assert_eq!(
        api.write_shared_memory(0, 0, 0, 126, &[0; 4]).map_err(code),
        Err(R::CUDBG_ERROR_INVALID_MEMORY_ACCESS)
    );
    api.write_global_memory(buffer, &[9; 8]).unwrap();
    api.read_generic_memory(0, 0, 0, 0, buffer, &mut eight)
        .unwrap();
    assert_eq!(eight, [9; 8]);
    assert_eq!(
        api.read_global_memory(16, &mut eight).map_err(code),
        Err(R::CUDBG_ERROR_INVALID_MEMORY_SEGMENT)
    );
    // Steps: one warp moves, the others stand.
    assert_eq!(api.single_step_warp(0, 0, 1, u32::MAX, 1, 0), Ok(2));
    assert_eq!(
        (api.read_pc(0, 0, 1, 0), api.read_pc(0, 0, 0, 0)),
        (Ok(store + 16), Ok(store))
    );
    let mut four = [0; 4];
    api.read_global_memory(buffer + 4 * 34, &mut four).unwrap();
    assert_eq!(u32::from_le_bytes(four), 1000);
    api.resume_warps_until_pc(0, 0, 1, store + 16).unwrap();
    assert_eq!(api.read_pc(0, 0, 0, 0), Ok(store + 16));
    assert_eq!(
        api.suspend_device(0).map_err(code),
        Err(R::CUDBG_ERROR_SUSPENDED_DEVICE)
    );
    api.unset_breakpoint(0, store).unwrap();
    assert_eq!(
        api.unset_breakpoint(0, store).map_err(code),
        Err(R::CUDBG_ERROR_INVALID_ADDRESS)
    );
    api.resume_device(0).unwrap();
    assert!(matches!(next(), Event::KernelFinished { grid: 1, .. }));
    api.acknowledge_sync_events().unwrap();
    program.join().unwrap().unwrap();
    assert_eq!(
        api.get_grid_status(0, 1),
        Ok(CUDBGGridStatus::CUDBG_GRID_STATUS_TERMINATED)
    );
    api.finalize().unwrap();
    let _: (*mut c_void, *const c_char) = (std::ptr::null_mut(), std::ptr::null());
}
