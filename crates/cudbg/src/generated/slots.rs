// Written by generate.py.

//! Every slot of the API's table, as a macro that hands the rows to another one.

/// Calls a macro with all 148 slots, in order: `{ index name age (argument: type = kind, …) }`. The age is `current` or
/// `old`; kinds are `value`, `output(n)`, `input(n)`, `both(n)` (arrays of `n` items), `text` (a C string), `callback` and
/// `pointer` (to memory of the library).
#[macro_export]
macro_rules! for_each_slot {
    ($callback:ident) => {
        $callback! {
            { 0 initialize current () }
            { 1 finalize current () }
            { 2 suspendDevice current (dev: u32 = value) }
            { 3 resumeDevice current (dev: u32 = value) }
            { 4 singleStepWarp40 old (dev: u32 = value, sm: u32 = value, wp: u32 = value) }
            { 5 setBreakpoint31 old (addr: u64 = value) }
            { 6 unsetBreakpoint31 old (addr: u64 = value) }
            { 7 readGridId50 old (dev: u32 = value, sm: u32 = value, wp: u32 = value, gridId: *mut u32 = output(1)) }
            { 8 readBlockIdx32 old (dev: u32 = value, sm: u32 = value, wp: u32 = value, blockIdx: *mut CuDim2 = output(1)) }
            { 9 readThreadIdx current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, threadIdx: *mut CuDim3 = output(1)) }
            { 10 readBrokenWarps current (dev: u32 = value, sm: u32 = value, brokenWarpsMask: *mut u64 = output(1)) }
            { 11 readValidWarps current (dev: u32 = value, sm: u32 = value, validWarpsMask: *mut u64 = output(1)) }
            { 12 readValidLanes current (dev: u32 = value, sm: u32 = value, wp: u32 = value, validLanesMask: *mut u32 = output(1)) }
            { 13 readActiveLanes current (dev: u32 = value, sm: u32 = value, wp: u32 = value, activeLanesMask: *mut u32 = output(1)) }
            { 14 readCodeMemory current (dev: u32 = value, addr: u64 = value, buf: *mut c_void = output(sz), sz: u32 = value) }
            { 15 readConstMemory129 old (dev: u32 = value, addr: u64 = value, buf: *mut c_void = output(sz), sz: u32 = value) }
            { 16 readGlobalMemory31 old (dev: u32 = value, addr: u64 = value, buf: *mut c_void = output(sz), sz: u32 = value) }
            { 17 readParamMemory current (dev: u32 = value, sm: u32 = value, wp: u32 = value, addr: u64 = value, buf: *mut c_void = output(sz), sz: u32 = value) }
            { 18 readSharedMemory current (dev: u32 = value, sm: u32 = value, wp: u32 = value, addr: u64 = value, buf: *mut c_void = output(sz), sz: u32 = value) }
            { 19 readLocalMemory current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, addr: u64 = value, buf: *mut c_void = output(sz), sz: u32 = value) }
            { 20 readRegister current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, regno: u32 = value, val: *mut u32 = output(1)) }
            { 21 readPC current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, pc: *mut u64 = output(1)) }
            { 22 readVirtualPC current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, pc: *mut u64 = output(1)) }
            { 23 readLaneStatus current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, error: *mut bool = output(1)) }
            { 24 writeGlobalMemory31 old (dev: u32 = value, addr: u64 = value, buf: *const c_void = input(sz), sz: u32 = value) }
            { 25 writeParamMemory current (dev: u32 = value, sm: u32 = value, wp: u32 = value, addr: u64 = value, buf: *const c_void = input(sz), sz: u32 = value) }
            { 26 writeSharedMemory current (dev: u32 = value, sm: u32 = value, wp: u32 = value, addr: u64 = value, buf: *const c_void = input(sz), sz: u32 = value) }
            { 27 writeLocalMemory current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, addr: u64 = value, buf: *const c_void = input(sz), sz: u32 = value) }
            { 28 writeRegister current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, regno: u32 = value, val: u32 = value) }
            { 29 getGridDim32 old (dev: u32 = value, sm: u32 = value, wp: u32 = value, gridDim: *mut CuDim2 = output(1)) }
            { 30 getBlockDim current (dev: u32 = value, sm: u32 = value, wp: u32 = value, blockDim: *mut CuDim3 = output(1)) }
            { 31 getTID current (dev: u32 = value, sm: u32 = value, wp: u32 = value, tid: *mut u32 = output(1)) }
            { 32 getElfImage32 old (dev: u32 = value, sm: u32 = value, wp: u32 = value, relocated: bool = value, elfImage: *mut *mut c_void = pointer, size: *mut u32 = output(1)) }
            { 33 getDeviceType current (dev: u32 = value, buf: *mut c_char = output(sz), sz: u32 = value) }
            { 34 getSmType current (dev: u32 = value, buf: *mut c_char = output(sz), sz: u32 = value) }
            { 35 getNumDevices current (numDev: *mut u32 = output(1)) }
            { 36 getNumSMs current (dev: u32 = value, numSMs: *mut u32 = output(1)) }
            { 37 getNumWarps current (dev: u32 = value, numWarps: *mut u32 = output(1)) }
            { 38 getNumLanes current (dev: u32 = value, numLanes: *mut u32 = output(1)) }
            { 39 getNumRegisters current (dev: u32 = value, numRegs: *mut u32 = output(1)) }
            { 40 getPhysicalRegister30 old (pc: u64 = value, reg: *mut c_char = text, buf: *mut u32 = output(sz), sz: u32 = value, numPhysRegs: *mut u32 = output(1), regClass: *mut CUDBGRegClass = output(1)) }
            { 41 disassemble old (dev: u32 = value, addr: u64 = value, instSize: *mut u32 = output(1), buf: *mut c_char = output(sz), sz: u32 = value) }
            { 42 isDeviceCodeAddress55 old (addr: usize = value, isDeviceAddress: *mut bool = output(1)) }
            { 43 lookupDeviceCodeSymbol current (symName: *mut c_char = text, symFound: *mut bool = output(1), symAddr: *mut usize = output(1)) }
            { 44 setNotifyNewEventCallback31 old (callback: Option<CUDBGNotifyNewEventCallback31> = callback, data: *mut c_void = callback) }
            { 45 getNextEvent30 old (event: *mut CUDBGEvent30 = output(1)) }
            { 46 acknowledgeEvent30 old (event: *mut CUDBGEvent30 = input(1)) }
            { 47 getGridAttribute current (dev: u32 = value, sm: u32 = value, wp: u32 = value, attr: CUDBGAttribute = value, value: *mut u64 = output(1)) }
            { 48 getGridAttributes current (dev: u32 = value, sm: u32 = value, wp: u32 = value, pairs: *mut CUDBGAttributeValuePair = both(numPairs), numPairs: u32 = value) }
            { 49 getPhysicalRegister40 old (dev: u32 = value, sm: u32 = value, wp: u32 = value, pc: u64 = value, reg: *mut c_char = text, buf: *mut u32 = output(sz), sz: u32 = value, numPhysRegs: *mut u32 = output(1), regClass: *mut CUDBGRegClass = output(1)) }
            { 50 readLaneException current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, exception: *mut CUDBGException_t = output(1)) }
            { 51 getNextEvent32 old (event: *mut CUDBGEvent32 = output(1)) }
            { 52 acknowledgeEvents42 old () }
            { 53 readCallDepth32 old (dev: u32 = value, sm: u32 = value, wp: u32 = value, depth: *mut u32 = output(1)) }
            { 54 readReturnAddress32 old (dev: u32 = value, sm: u32 = value, wp: u32 = value, level: u32 = value, ra: *mut u64 = output(1)) }
            { 55 readVirtualReturnAddress32 old (dev: u32 = value, sm: u32 = value, wp: u32 = value, level: u32 = value, ra: *mut u64 = output(1)) }
            { 56 readGlobalMemory55 old (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, addr: u64 = value, buf: *mut c_void = output(sz), sz: u32 = value) }
            { 57 writeGlobalMemory55 old (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, addr: u64 = value, buf: *const c_void = input(sz), sz: u32 = value) }
            { 58 readPinnedMemory current (addr: u64 = value, buf: *mut c_void = output(sz), sz: u32 = value) }
            { 59 writePinnedMemory current (addr: u64 = value, buf: *const c_void = input(sz), sz: u32 = value) }
            { 60 setBreakpoint current (dev: u32 = value, addr: u64 = value) }
            { 61 unsetBreakpoint current (dev: u32 = value, addr: u64 = value) }
            { 62 setNotifyNewEventCallback40 old (callback: Option<CUDBGNotifyNewEventCallback40> = callback) }
            { 63 getNextEvent42 old (event: *mut CUDBGEvent42 = output(1)) }
            { 64 readTextureMemory current (devId: u32 = value, vsm: u32 = value, wp: u32 = value, id: u32 = value, dim: u32 = value, coords: *mut u32 = input(dim), buf: *mut c_void = output(sz), sz: u32 = value) }
            { 65 readBlockIdx current (dev: u32 = value, sm: u32 = value, wp: u32 = value, blockIdx: *mut CuDim3 = output(1)) }
            { 66 getGridDim current (dev: u32 = value, sm: u32 = value, wp: u32 = value, gridDim: *mut CuDim3 = output(1)) }
            { 67 readCallDepth current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, depth: *mut u32 = output(1)) }
            { 68 readReturnAddress current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, level: u32 = value, ra: *mut u64 = output(1)) }
            { 69 readVirtualReturnAddress current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, level: u32 = value, ra: *mut u64 = output(1)) }
            { 70 getElfImage old (dev: u32 = value, sm: u32 = value, wp: u32 = value, relocated: bool = value, elfImage: *mut *mut c_void = pointer, size: *mut u64 = output(1)) }
            { 71 getHostAddrFromDeviceAddr current (dev: u32 = value, device_addr: u64 = value, host_addr: *mut u64 = output(1)) }
            { 72 singleStepWarp41 old (dev: u32 = value, sm: u32 = value, wp: u32 = value, warpMask: *mut u64 = output(1)) }
            { 73 setNotifyNewEventCallback41 old (callback: Option<CUDBGNotifyNewEventCallback41> = callback) }
            { 74 readSyscallCallDepth current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, depth: *mut u32 = output(1)) }
            { 75 readTextureMemoryBindless current (devId: u32 = value, vsm: u32 = value, wp: u32 = value, texSymtabIndex: u32 = value, dim: u32 = value, coords: *mut u32 = input(dim), buf: *mut c_void = output(sz), sz: u32 = value) }
            { 76 clearAttachState current () }
            { 77 getNextSyncEvent50 old (event: *mut CUDBGEvent50 = output(1)) }
            { 78 memcheckReadErrorAddress current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, address: *mut u64 = output(1), storage: *mut ptxStorageKind = output(1)) }
            { 79 acknowledgeSyncEvents current () }
            { 80 getNextAsyncEvent50 old (event: *mut CUDBGEvent50 = output(1)) }
            { 81 requestCleanupOnDetach55 old () }
            { 82 initializeAttachStub current () }
            { 83 getGridStatus50 old (dev: u32 = value, gridId: u32 = value, status: *mut CUDBGGridStatus = output(1)) }
            { 84 getNextSyncEvent55 old (event: *mut CUDBGEvent55 = output(1)) }
            { 85 getNextAsyncEvent55 old (event: *mut CUDBGEvent55 = output(1)) }
            { 86 getGridInfo55 old (dev: u32 = value, gridId64: u64 = value, gridInfo: *mut CUDBGGridInfo55 = output(1)) }
            { 87 readGridId current (dev: u32 = value, sm: u32 = value, wp: u32 = value, gridId64: *mut u64 = output(1)) }
            { 88 getGridStatus current (dev: u32 = value, gridId64: u64 = value, status: *mut CUDBGGridStatus = output(1)) }
            { 89 setKernelLaunchNotificationMode current (mode: CUDBGKernelLaunchNotifyMode = value) }
            { 90 getDevicePCIBusInfo current (devId: u32 = value, pciBusId: *mut u32 = output(1), pciDevId: *mut u32 = output(1)) }
            { 91 readDeviceExceptionState80 old (devId: u32 = value, exceptionSMMask: *mut u64 = output(1)) }
            { 92 getAdjustedCodeAddress current (devId: u32 = value, address: u64 = value, adjustedAddress: *mut u64 = output(1), adjAction: CUDBGAdjAddrAction = value) }
            { 93 readErrorPC current (devId: u32 = value, sm: u32 = value, wp: u32 = value, errorPC: *mut u64 = output(1), errorPCValid: *mut bool = output(1)) }
            { 94 getNextEvent current (kind: CUDBGEventQueueType = value, event: *mut CUDBGEvent = output(1)) }
            { 95 getElfImageByHandle current (devId: u32 = value, handle: u64 = value, kind: CUDBGElfImageType = value, elfImage: *mut c_void = output(size), size: u64 = value) }
            { 96 resumeWarpsUntilPC current (devId: u32 = value, sm: u32 = value, warpMask: u64 = value, virtPC: u64 = value) }
            { 97 readWarpState60 old (devId: u32 = value, sm: u32 = value, wp: u32 = value, state: *mut CUDBGWarpState60 = output(1)) }
            { 98 readRegisterRange current (devId: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, index: u32 = value, registers_size: u32 = value, registers: *mut u32 = output(registers_size)) }
            { 99 readGenericMemory current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, addr: u64 = value, buf: *mut c_void = output(sz), sz: u32 = value) }
            { 100 writeGenericMemory current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, addr: u64 = value, buf: *const c_void = input(sz), sz: u32 = value) }
            { 101 readGlobalMemory current (addr: u64 = value, buf: *mut c_void = output(sz), sz: u32 = value) }
            { 102 writeGlobalMemory current (addr: u64 = value, buf: *const c_void = input(sz), sz: u32 = value) }
            { 103 getManagedMemoryRegionInfo current (startAddress: u64 = value, memoryInfo: *mut CUDBGMemoryInfo = output(memoryInfo_size), memoryInfo_size: u32 = value, numEntries: *mut u32 = output(1)) }
            { 104 isDeviceCodeAddress current (addr: usize = value, isDeviceAddress: *mut bool = output(1)) }
            { 105 requestCleanupOnDetach current (appResumeFlag: u32 = value) }
            { 106 readPredicates current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, predicates_size: u32 = value, predicates: *mut u32 = output(predicates_size)) }
            { 107 writePredicates current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, predicates_size: u32 = value, predicates: *const u32 = input(predicates_size)) }
            { 108 getNumPredicates current (dev: u32 = value, numPredicates: *mut u32 = output(1)) }
            { 109 readCCRegister current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, val: *mut u32 = output(1)) }
            { 110 writeCCRegister current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, val: u32 = value) }
            { 111 getDeviceName current (dev: u32 = value, buf: *mut c_char = output(sz), sz: u32 = value) }
            { 112 singleStepWarp65 old (dev: u32 = value, sm: u32 = value, wp: u32 = value, nsteps: u32 = value, warpMask: *mut u64 = output(1)) }
            { 113 readDeviceExceptionState current (devId: u32 = value, mask: *mut u64 = output(numWords), numWords: u32 = value) }
            { 114 getNumUniformRegisters current (dev: u32 = value, numRegs: *mut u32 = output(1)) }
            { 115 readUniformRegisterRange current (devId: u32 = value, sm: u32 = value, wp: u32 = value, regno: u32 = value, registers_size: u32 = value, registers: *mut u32 = output(registers_size)) }
            { 116 writeUniformRegister current (dev: u32 = value, sm: u32 = value, wp: u32 = value, regno: u32 = value, val: u32 = value) }
            { 117 getNumUniformPredicates current (dev: u32 = value, numPredicates: *mut u32 = output(1)) }
            { 118 readUniformPredicates current (dev: u32 = value, sm: u32 = value, wp: u32 = value, predicates_size: u32 = value, predicates: *mut u32 = output(predicates_size)) }
            { 119 writeUniformPredicates current (dev: u32 = value, sm: u32 = value, wp: u32 = value, predicates_size: u32 = value, predicates: *const u32 = input(predicates_size)) }
            { 120 getLoadedFunctionInfo118 old (devId: u32 = value, handle: u64 = value, info: *mut CUDBGLoadedFunctionInfo = output(numEntries), numEntries: u32 = value) }
            { 121 getGridInfo120 old (dev: u32 = value, gridId64: u64 = value, gridInfo: *mut CUDBGGridInfo120 = output(1)) }
            { 122 getClusterDim120 old (dev: u32 = value, gridId64: u64 = value, clusterDim: *mut CuDim3 = output(1)) }
            { 123 readWarpState120 old (dev: u32 = value, sm: u32 = value, wp: u32 = value, state: *mut CUDBGWarpState120 = output(1)) }
            { 124 readClusterIdx current (dev: u32 = value, sm: u32 = value, wp: u32 = value, clusterIdx: *mut CuDim3 = output(1)) }
            { 125 getErrorStringEx current (buf: *mut c_char = output(bufSz), bufSz: u32 = value, msgSz: *mut u32 = output(1)) }
            { 126 getLoadedFunctionInfo current (devId: u32 = value, handle: u64 = value, info: *mut CUDBGLoadedFunctionInfo = output(numEntries), startIndex: u32 = value, numEntries: u32 = value) }
            { 127 generateCoredump current (filename: *const c_char = text, flags: CUDBGCoredumpGenerationFlags = value) }
            { 128 getConstBankAddress123 old (dev: u32 = value, sm: u32 = value, wp: u32 = value, bank: u32 = value, offset: u32 = value, address: *mut u64 = output(1)) }
            { 129 getDeviceInfoSizes current (dev: u32 = value, sizes: *mut CUDBGDeviceInfoSizes = output(1)) }
            { 130 getDeviceInfo current (dev: u32 = value, kind: CUDBGDeviceInfoQueryType_t = value, buffer: *mut c_void = output(length), length: u32 = value, dataLength: *mut u32 = output(1)) }
            { 131 getConstBankAddress current (dev: u32 = value, gridId64: u64 = value, bank: u32 = value, address: *mut u64 = output(1), size: *mut u32 = output(1)) }
            { 132 singleStepWarp current (dev: u32 = value, sm: u32 = value, wp: u32 = value, laneHint: u32 = value, nsteps: u32 = value, flags: u32 = value, warpMask: *mut u64 = output(1)) }
            { 133 readAllVirtualReturnAddresses current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, addrs: *mut u64 = output(numAddrs), numAddrs: u32 = value, callDepth: *mut u32 = output(1), syscallCallDepth: *mut u32 = output(1)) }
            { 134 getSupportedDebuggerCapabilities current (capabilities: *mut CUDBGCapabilityFlags = output(1)) }
            { 135 readSmException current (dev: u32 = value, sm: u32 = value, exception: *mut CUDBGException_t = output(1), errorPC: *mut u64 = output(1), errorPCValid: *mut bool = output(1)) }
            { 136 executeInternalCommand current (command: *const c_char = text, resultBuffer: *mut c_char = output(sizeInBytes), sizeInBytes: u32 = value) }
            { 137 getGridInfo current (dev: u32 = value, gridId64: u64 = value, gridInfo: *mut CUDBGGridInfo = output(1)) }
            { 138 getClusterDim current (dev: u32 = value, sm: u32 = value, wp: u32 = value, clusterDim: *mut CuDim3 = output(1)) }
            { 139 readWarpState127 old (dev: u32 = value, sm: u32 = value, wp: u32 = value, state: *mut CUDBGWarpState127 = output(1)) }
            { 140 getClusterExceptionTargetBlock current (dev: u32 = value, sm: u32 = value, wp: u32 = value, blockIdx: *mut CuDim3 = output(1), blockIdxValid: *mut bool = output(1)) }
            { 141 readWarpResources current (dev: u32 = value, sm: u32 = value, wp: u32 = value, resources: *mut CUDBGWarpResources = output(1)) }
            { 142 getCbuWarpState current (dev: u32 = value, sm: u32 = value, warpMask: u64 = value, warpStates: *mut CUDBGCbuWarpState = output(numWarpStates), numWarpStates: u32 = value) }
            { 143 readWarpState current (dev: u32 = value, sm: u32 = value, wp: u32 = value, state: *mut CUDBGWarpState = output(1)) }
            { 144 consumeCudaLogs current (logMessages: *mut CUDBGCudaLogMessage = output(numMessages), numMessages: u32 = value, numConsumed: *mut u32 = output(1)) }
            { 145 readCPUCallStack current (dev: u32 = value, gridId64: u64 = value, addrs: *mut u64 = output(numAddrs), numAddrs: u32 = value, totalNumAddrs: *mut u32 = output(1)) }
            { 146 getCudaExceptionString current (dev: u32 = value, sm: u32 = value, wp: u32 = value, ln: u32 = value, buf: *mut c_char = output(bufSz), bufSz: u32 = value, msgSz: *mut u32 = output(1)) }
            { 147 setNotifyNewEventCallback current (callback: Option<CUDBGNotifyNewEventCallback> = callback, userData: *mut c_void = callback) }
        }
    };
}
