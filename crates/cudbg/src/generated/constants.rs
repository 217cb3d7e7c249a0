// Written by generate.py.

//! Numbers and names of exported symbols.

/// Number of the header.
pub const CUDBG_API_VERSION_MAJOR: u32 = 13;
/// Number of the header.
pub const CUDBG_API_VERSION_MINOR: u32 = 0;
/// Number of the header.
pub const CUDBG_API_VERSION_REVISION: u32 = 163;
/// Number of the header.
pub const CUDBG_MAX_DEVICES: u32 = 64;
/// Number of the header.
pub const CUDBG_MAX_SMS: u32 = 256;
/// Number of the header.
pub const CUDBG_MAX_WARPS: u32 = 64;
/// Number of the header.
pub const CUDBG_MAX_LANES: u32 = 32;
/// Number of the header.
pub const CUDBG_MAX_WARP_BARRIERS: u32 = 16;
/// Number of the header.
pub const CUDBG_MAX_LOG_LEN: u32 = 256;
/// Symbol that libcuda exports.
pub const CUDBG_IPC_FLAG_NAME: &str = "cudbgIpcFlag";
/// Symbol that libcuda exports.
pub const CUDBG_RPC_ENABLED: &str = "cudbgRpcEnabled";
/// Symbol that libcuda exports.
pub const CUDBG_APICLIENT_PID: &str = "cudbgApiClientPid";
/// Symbol that libcuda exports.
pub const CUDBG_DEBUGGER_INITIALIZED: &str = "cudbgDebuggerInitialized";
/// Symbol that libcuda exports.
pub const CUDBG_APICLIENT_REVISION: &str = "cudbgApiClientRevision";
/// Symbol that libcuda exports.
pub const CUDBG_SESSION_ID: &str = "cudbgSessionId";
/// Symbol that libcuda exports.
pub const CUDBG_ATTACH_HANDLER_AVAILABLE: &str = "cudbgAttachHandlerAvailable";
/// Symbol that libcuda exports.
pub const CUDBG_DETACH_SUSPENDED_DEVICES_MASK: &str = "cudbgDetachSuspendedDevicesMask";
/// Symbol that libcuda exports.
pub const CUDBG_ENABLE_LAUNCH_BLOCKING: &str = "cudbgEnableLaunchBlocking";
/// Symbol that libcuda exports.
pub const CUDBG_ENABLE_INTEGRATED_MEMCHECK: &str = "cudbgEnableIntegratedMemcheck";
/// Symbol that libcuda exports.
pub const CUDBG_ENABLE_PREEMPTION_DEBUGGING: &str = "cudbgEnablePreemptionDebugging";
/// Symbol that libcuda exports.
pub const CUDBG_RESUME_FOR_ATTACH_DETACH: &str = "cudbgResumeForAttachDetach";
/// Symbol that libcuda exports.
pub const CUDBG_DEBUGGER_CAPABILITIES: &str = "cudbgDebuggerCapabilities";
/// Symbol that libcuda exports.
pub const CUDBG_USE_EXTERNAL_DEBUGGER: &str = "cudbgUseExternalDebugger";
/// Symbol that libcuda exports.
pub const CUDBG_REPORT_DRIVER_API_ERROR: &str = "cudbgReportDriverApiError";
/// Symbol that libcuda exports.
pub const CUDBG_REPORT_DRIVER_API_ERROR_FLAGS: &str = "cudbgReportDriverApiErrorFlags";
/// Symbol that libcuda exports.
pub const CUDBG_REPORTED_DRIVER_API_ERROR_CODE: &str = "cudbgReportedDriverApiErrorCode";
/// Symbol that libcuda exports.
pub const CUDBG_REPORTED_DRIVER_API_ERROR_FUNC_NAME_SIZE: &str =
    "cudbgReportedDriverApiErrorFuncNameSize";
/// Symbol that libcuda exports.
pub const CUDBG_REPORTED_DRIVER_API_ERROR_FUNC_NAME_ADDR: &str =
    "cudbgReportedDriverApiErrorFuncNameAddr";
/// Symbol that libcuda exports.
pub const CUDBG_REPORTED_DRIVER_API_ERROR_SOURCE: &str = "cudbgReportedDriverApiErrorSource";
/// Symbol that libcuda exports.
pub const CUDBG_REPORTED_DRIVER_API_ERROR_NAME_SIZE: &str = "cudbgReportedDriverApiErrorNameSize";
/// Symbol that libcuda exports.
pub const CUDBG_REPORTED_DRIVER_API_ERROR_NAME_ADDR: &str = "cudbgReportedDriverApiErrorNameAddr";
/// Symbol that libcuda exports.
pub const CUDBG_REPORTED_DRIVER_API_ERROR_STRING_SIZE: &str =
    "cudbgReportedDriverApiErrorStringSize";
/// Symbol that libcuda exports.
pub const CUDBG_REPORTED_DRIVER_API_ERROR_STRING_ADDR: &str =
    "cudbgReportedDriverApiErrorStringAddr";
/// Symbol that libcuda exports.
pub const CUDBG_REPORT_DRIVER_INTERNAL_ERROR: &str = "cudbgReportDriverInternalError";
/// Symbol that libcuda exports.
pub const CUDBG_REPORTED_DRIVER_INTERNAL_ERROR_CODE: &str = "cudbgReportedDriverInternalErrorCode";
