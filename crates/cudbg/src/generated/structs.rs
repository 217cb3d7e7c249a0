// Written by generate.py.

//! Structs and unions, packed where the header packs them.

use super::enums::*;
use std::ffi::{c_char, c_void};

layouts! {
    #[repr(C)]
    struct CUDBGAttributeValuePair {
        attribute: CUDBGAttribute,
        value: u64,
    }
    #[repr(C)]
    struct elfImageLoaded30_st {
        relocatedElfImage: *mut c_char,
        nonRelocatedElfImage: *mut c_char,
        size: u32,
    }
    #[repr(C)]
    struct kernelReady30_st {
        dev: u32,
        gridId: u32,
        tid: u32,
    }
    #[repr(C)]
    struct kernelFinished30_st {
        dev: u32,
        gridId: u32,
        tid: u32,
    }
    #[repr(C)]
    union cases30_st {
        elfImageLoaded: elfImageLoaded30_st,
        kernelReady: kernelReady30_st,
        kernelFinished: kernelFinished30_st,
    }
    #[repr(C)]
    struct CUDBGEvent30 {
        kind: CUDBGEventKind,
        cases: cases30_st,
    }
    #[repr(C)]
    struct elfImageLoaded32_st {
        relocatedElfImage: *mut c_char,
        nonRelocatedElfImage: *mut c_char,
        size: u32,
        dev: u32,
        context: u64,
        module: u64,
    }
    #[repr(C)]
    struct kernelReady32_st {
        dev: u32,
        gridId: u32,
        tid: u32,
        context: u64,
        module: u64,
        function: u64,
        functionEntry: u64,
    }
    #[repr(C)]
    struct kernelFinished32_st {
        dev: u32,
        gridId: u32,
        tid: u32,
        context: u64,
        module: u64,
        function: u64,
        functionEntry: u64,
    }
    #[repr(C)]
    struct contextPush32_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C)]
    struct contextPop32_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C)]
    struct contextCreate32_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C)]
    struct contextDestroy32_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C)]
    union cases32_st {
        elfImageLoaded: elfImageLoaded32_st,
        kernelReady: kernelReady32_st,
        kernelFinished: kernelFinished32_st,
        contextPush: contextPush32_st,
        contextPop: contextPop32_st,
        contextCreate: contextCreate32_st,
        contextDestroy: contextDestroy32_st,
    }
    #[repr(C)]
    struct CUDBGEvent32 {
        kind: CUDBGEventKind,
        cases: cases32_st,
    }
    #[repr(C)]
    struct elfImageLoaded42_st {
        relocatedElfImage: *mut c_char,
        nonRelocatedElfImage: *mut c_char,
        size32: u32,
        dev: u32,
        context: u64,
        module: u64,
        size: u64,
    }
    #[repr(C)]
    struct kernelReady42_st {
        dev: u32,
        gridId: u32,
        tid: u32,
        context: u64,
        module: u64,
        function: u64,
        functionEntry: u64,
        gridDim: CuDim3,
        blockDim: CuDim3,
        r#type: CUDBGKernelType,
    }
    #[repr(C)]
    struct kernelFinished42_st {
        dev: u32,
        gridId: u32,
        tid: u32,
        context: u64,
        module: u64,
        function: u64,
        functionEntry: u64,
    }
    #[repr(C)]
    struct contextPush42_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C)]
    struct contextPop42_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C)]
    struct contextCreate42_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C)]
    struct contextDestroy42_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C)]
    union cases42_st {
        elfImageLoaded: elfImageLoaded42_st,
        kernelReady: kernelReady42_st,
        kernelFinished: kernelFinished42_st,
        contextPush: contextPush42_st,
        contextPop: contextPop42_st,
        contextCreate: contextCreate42_st,
        contextDestroy: contextDestroy42_st,
    }
    #[repr(C)]
    struct CUDBGEvent42 {
        kind: CUDBGEventKind,
        cases: cases42_st,
    }
    #[repr(C)]
    struct elfImageLoaded50_st {
        relocatedElfImage: *mut c_char,
        nonRelocatedElfImage: *mut c_char,
        size32: u32,
        dev: u32,
        context: u64,
        module: u64,
        size: u64,
    }
    #[repr(C)]
    struct kernelReady50_st {
        dev: u32,
        gridId: u32,
        tid: u32,
        context: u64,
        module: u64,
        function: u64,
        functionEntry: u64,
        gridDim: CuDim3,
        blockDim: CuDim3,
        r#type: CUDBGKernelType,
    }
    #[repr(C)]
    struct kernelFinished50_st {
        dev: u32,
        gridId: u32,
        tid: u32,
        context: u64,
        module: u64,
        function: u64,
        functionEntry: u64,
    }
    #[repr(C)]
    struct contextPush50_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C)]
    struct contextPop50_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C)]
    struct contextCreate50_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C)]
    struct contextDestroy50_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C)]
    struct internalError50_st {
        errorType: CUDBGResult,
    }
    #[repr(C)]
    union cases50_st {
        elfImageLoaded: elfImageLoaded50_st,
        kernelReady: kernelReady50_st,
        kernelFinished: kernelFinished50_st,
        contextPush: contextPush50_st,
        contextPop: contextPop50_st,
        contextCreate: contextCreate50_st,
        contextDestroy: contextDestroy50_st,
        internalError: internalError50_st,
    }
    #[repr(C)]
    struct CUDBGEvent50 {
        kind: CUDBGEventKind,
        cases: cases50_st,
    }
    #[repr(C)]
    struct elfImageLoaded55_st {
        relocatedElfImage: *mut c_char,
        nonRelocatedElfImage: *mut c_char,
        size32: u32,
        dev: u32,
        context: u64,
        module: u64,
        size: u64,
    }
    #[repr(C)]
    struct kernelReady55_st {
        dev: u32,
        gridId: u32,
        tid: u32,
        context: u64,
        module: u64,
        function: u64,
        functionEntry: u64,
        gridDim: CuDim3,
        blockDim: CuDim3,
        r#type: CUDBGKernelType,
        parentGridId: u64,
        gridId64: u64,
        origin: CUDBGKernelOrigin,
    }
    #[repr(C)]
    struct kernelFinished55_st {
        dev: u32,
        gridId: u32,
        tid: u32,
        context: u64,
        module: u64,
        function: u64,
        functionEntry: u64,
        gridId64: u64,
    }
    #[repr(C)]
    struct contextPush55_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C)]
    struct contextPop55_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C)]
    struct contextCreate55_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C)]
    struct contextDestroy55_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C)]
    struct internalError55_st {
        errorType: CUDBGResult,
    }
    #[repr(C)]
    union cases55_st {
        elfImageLoaded: elfImageLoaded55_st,
        kernelReady: kernelReady55_st,
        kernelFinished: kernelFinished55_st,
        contextPush: contextPush55_st,
        contextPop: contextPop55_st,
        contextCreate: contextCreate55_st,
        contextDestroy: contextDestroy55_st,
        internalError: internalError55_st,
    }
    #[repr(C)]
    struct CUDBGEvent55 {
        kind: CUDBGEventKind,
        cases: cases55_st,
    }
    #[repr(C, packed)]
    struct elfImageLoaded_st {
        dev: u32,
        context: u64,
        module: u64,
        size: u64,
        handle: u64,
        properties: u32,
    }
    #[repr(C, packed)]
    struct elfImageUnloaded_st {
        dev: u32,
        context: u64,
        module: u64,
        size: u64,
        handle: u64,
    }
    #[repr(C, packed)]
    struct kernelReady_st {
        dev: u32,
        tid: u32,
        gridId: u64,
        context: u64,
        module: u64,
        function: u64,
        functionEntry: u64,
        gridDim: CuDim3,
        blockDim: CuDim3,
        r#type: CUDBGKernelType,
        parentGridId: u64,
        origin: CUDBGKernelOrigin,
    }
    #[repr(C, packed)]
    struct kernelFinished_st {
        dev: u32,
        tid: u32,
        context: u64,
        module: u64,
        function: u64,
        functionEntry: u64,
        gridId: u64,
    }
    #[repr(C, packed)]
    struct contextPush_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C, packed)]
    struct contextPop_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C, packed)]
    struct contextCreate_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C, packed)]
    struct contextDestroy_st {
        dev: u32,
        tid: u32,
        context: u64,
    }
    #[repr(C, packed)]
    struct internalError_st {
        errorType: CUDBGResult,
    }
    #[repr(C, packed)]
    struct functionsLoaded_st {
        dev: u32,
        count: u32,
        context: u64,
        module: u64,
    }
    #[repr(C, packed)]
    struct allDevicesSuspended_st {
        brokenDevicesMask: u64,
        faultedDevicesMask: u64,
    }
    #[repr(C, packed)]
    union cases_st {
        elfImageLoaded: elfImageLoaded_st,
        elfImageUnloaded: elfImageUnloaded_st,
        kernelReady: kernelReady_st,
        kernelFinished: kernelFinished_st,
        contextPush: contextPush_st,
        contextPop: contextPop_st,
        contextCreate: contextCreate_st,
        contextDestroy: contextDestroy_st,
        internalError: internalError_st,
        functionsLoaded: functionsLoaded_st,
        allDevicesSuspended: allDevicesSuspended_st,
    }
    #[repr(C, packed)]
    struct CUDBGEvent {
        kind: CUDBGEventKind,
        cases: cases_st,
    }
    #[repr(C)]
    struct CUDBGEventCallbackData40 {
        tid: u32,
    }
    #[repr(C)]
    struct CUDBGEventCallbackData41 {
        tid: u32,
        timeout: u32,
    }
    #[repr(C)]
    struct CUDBGEventCallbackData {
        userData: *mut c_void,
        tid: u32,
    }
    #[repr(C, packed)]
    struct CUDBGGridInfo55 {
        dev: u32,
        gridId64: u64,
        tid: u32,
        context: u64,
        module: u64,
        function: u64,
        functionEntry: u64,
        gridDim: CuDim3,
        blockDim: CuDim3,
        r#type: CUDBGKernelType,
        parentGridId: u64,
        origin: CUDBGKernelOrigin,
    }
    #[repr(C, packed)]
    struct CUDBGGridInfo120 {
        dev: u32,
        gridId64: u64,
        tid: u32,
        context: u64,
        module: u64,
        function: u64,
        functionEntry: u64,
        gridDim: CuDim3,
        blockDim: CuDim3,
        r#type: CUDBGKernelType,
        parentGridId: u64,
        origin: CUDBGKernelOrigin,
        clusterDim: CuDim3,
    }
    #[repr(C, packed)]
    struct CUDBGGridInfo {
        dev: u32,
        gridId64: u64,
        tid: u32,
        context: u64,
        module: u64,
        function: u64,
        functionEntry: u64,
        gridDim: CuDim3,
        blockDim: CuDim3,
        r#type: CUDBGKernelType,
        parentGridId: u64,
        origin: CUDBGKernelOrigin,
        clusterDim: CuDim3,
        preferredClusterDim: CuDim3,
    }
    #[repr(C, packed)]
    struct CUDBGLoadedFunctionInfo {
        sectionIndex: u64,
        address: u64,
    }
    #[repr(C, packed)]
    struct CUDBGLaneState {
        virtualPC: u64,
        threadIdx: CuDim3,
        exception: CUDBGException_t,
    }
    #[repr(C, packed)]
    struct CUDBGWarpState60 {
        gridId: u64,
        errorPC: u64,
        blockIdx: CuDim3,
        validLanes: u32,
        activeLanes: u32,
        errorPCValid: u32,
        lane: [CUDBGLaneState; 32],
    }
    #[repr(C, packed)]
    struct CUDBGWarpState120 {
        gridId: u64,
        errorPC: u64,
        blockIdx: CuDim3,
        validLanes: u32,
        activeLanes: u32,
        errorPCValid: u32,
        lane: [CUDBGLaneState; 32],
        clusterIdx: CuDim3,
    }
    #[repr(C, packed)]
    struct CUDBGWarpState127 {
        gridId: u64,
        errorPC: u64,
        blockIdx: CuDim3,
        validLanes: u32,
        activeLanes: u32,
        errorPCValid: u32,
        lane: [CUDBGLaneState; 32],
        clusterIdx: CuDim3,
        clusterDim: CuDim3,
        clusterExceptionTargetBlockIdxValid: u32,
        clusterExceptionTargetBlockIdx: CuDim3,
    }
    #[repr(C, packed)]
    struct CUDBGWarpState {
        gridId: u64,
        errorPC: u64,
        blockIdx: CuDim3,
        validLanes: u32,
        activeLanes: u32,
        errorPCValid: u32,
        lane: [CUDBGLaneState; 32],
        clusterIdx: CuDim3,
        clusterDim: CuDim3,
        clusterExceptionTargetBlockIdxValid: u32,
        clusterExceptionTargetBlockIdx: CuDim3,
        inSyscallLanes: u32,
    }
    #[repr(C, packed)]
    struct CUDBGWarpResources {
        sharedMemSize: u32,
        numRegisters: u32,
    }
    #[repr(C, packed)]
    struct CUDBGMemoryInfo {
        startAddress: u64,
        size: u64,
    }
    #[repr(C, packed)]
    struct CUDBGDeviceInfoSizes {
        requiredBufferSize: u32,
        deviceInfoSize: u32,
        deviceInfoAttributeSizes: [u32; 32],
        smInfoSize: u32,
        smInfoAttributeSizes: [u32; 32],
        warpInfoSize: u32,
        warpInfoAttributeSizes: [u32; 32],
        laneInfoSize: u32,
        laneInfoAttributeSizes: [u32; 32],
    }
    #[repr(C, packed)]
    struct CUDBGDeviceInfo {
        responseType: CUDBGDeviceInfoQueryType_t,
        deviceAttributeFlags: u32,
    }
    #[repr(C, packed)]
    struct CUDBGSMInfo {
        warpValidMask: u64,
        warpBrokenMask: u64,
        smAttributeFlags: u32,
    }
    #[repr(C, packed)]
    struct CUDBGWarpInfo {
        gridId: u64,
        blockIdx: CuDim3,
        baseThreadIdx: CuDim3,
        validLanes: u32,
        activeLanes: u32,
        warpAttributeFlags: u32,
    }
    #[repr(C, packed)]
    struct CUDBGLaneInfo {
        virtualPC: u64,
    }
    #[repr(C, packed)]
    struct CUDBGCbuWarpState {
        activeMask: u32,
        exitedMask: u32,
        collectiveMask: u32,
        barrierMasks: [u32; 16],
        threadState: [CUDBGCbuThreadState; 32],
    }
    #[repr(C, packed)]
    struct CUDBGCudaLogMessage {
        unixTimestampNs: u64,
        osThreadId: u32,
        logLevel: CUDBGCudaLogLevel,
        message: [c_char; 256],
    }
    #[repr(C)]
    struct CuDim2 {
        x: u32,
        y: u32,
    }
    #[repr(C)]
    struct CuDim3 {
        x: u32,
        y: u32,
        z: u32,
    }
}
