//! Events as an enum, and back.

use crate::*;

/// What happened, as [`CUDBGEvent`] says it by a kind and a union.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Event {
    ElfImageLoaded {
        dev: u32,
        context: u64,
        module: u64,
        size: u64,
        handle: u64,
        properties: u32,
    },
    ElfImageUnloaded {
        dev: u32,
        context: u64,
        module: u64,
        size: u64,
        handle: u64,
    },
    KernelReady {
        dev: u32,
        tid: u32,
        grid: u64,
        context: u64,
        module: u64,
        function: u64,
        entry: u64,
        grid_dim: [u32; 3],
        block_dim: [u32; 3],
    },
    KernelFinished {
        dev: u32,
        tid: u32,
        grid: u64,
        context: u64,
        module: u64,
        function: u64,
        entry: u64,
    },
    ContextCreate {
        dev: u32,
        tid: u32,
        context: u64,
    },
    ContextDestroy {
        dev: u32,
        tid: u32,
        context: u64,
    },
    ContextPush {
        dev: u32,
        tid: u32,
        context: u64,
    },
    ContextPop {
        dev: u32,
        tid: u32,
        context: u64,
    },
    FunctionsLoaded {
        dev: u32,
        count: u32,
        context: u64,
        module: u64,
    },
    AllDevicesSuspended {
        broken: u64,
        faulted: u64,
    },
    InternalError {
        code: CUDBGResult,
    },
    /// A kind without data, or one that this version does not know.
    Other(CUDBGEventKind),
}

use CUDBGEventKind as K;

impl Event {
    /// `None` for the kind that means there is no event.
    pub fn new(e: &CUDBGEvent) -> Option<Event> {
        let c = e.cases;
        // SAFETY: every case is plain numbers, so that reading one is defined whatever the kind; the kind says which
        // one the library wrote.
        Some(unsafe {
            match e.kind {
                K::CUDBG_EVENT_INVALID => return None,
                K::CUDBG_EVENT_ELF_IMAGE_LOADED => {
                    let c = c.elfImageLoaded;
                    Event::ElfImageLoaded {
                        dev: c.dev,
                        context: c.context,
                        module: c.module,
                        size: c.size,
                        handle: c.handle,
                        properties: c.properties,
                    }
                }
                K::CUDBG_EVENT_ELF_IMAGE_UNLOADED => {
                    let c = c.elfImageUnloaded;
                    Event::ElfImageUnloaded {
                        dev: c.dev,
                        context: c.context,
                        module: c.module,
                        size: c.size,
                        handle: c.handle,
                    }
                }
                K::CUDBG_EVENT_KERNEL_READY => {
                    let c = c.kernelReady;
                    let (g, b) = (c.gridDim, c.blockDim);
                    Event::KernelReady {
                        dev: c.dev,
                        tid: c.tid,
                        grid: c.gridId,
                        context: c.context,
                        module: c.module,
                        function: c.function,
                        entry: c.functionEntry,
                        grid_dim: [g.x, g.y, g.z],
                        block_dim: [b.x, b.y, b.z],
                    }
                }
                K::CUDBG_EVENT_KERNEL_FINISHED => {
                    let c = c.kernelFinished;
                    Event::KernelFinished {
                        dev: c.dev,
                        tid: c.tid,
                        grid: c.gridId,
                        context: c.context,
                        module: c.module,
                        function: c.function,
                        entry: c.functionEntry,
                    }
                }
                K::CUDBG_EVENT_CTX_CREATE => {
                    let c = c.contextCreate;
                    Event::ContextCreate {
                        dev: c.dev,
                        tid: c.tid,
                        context: c.context,
                    }
                }
                K::CUDBG_EVENT_CTX_DESTROY => {
                    let c = c.contextDestroy;
                    Event::ContextDestroy {
                        dev: c.dev,
                        tid: c.tid,
                        context: c.context,
                    }
                }
                K::CUDBG_EVENT_CTX_PUSH => {
                    let c = c.contextPush;
                    Event::ContextPush {
                        dev: c.dev,
                        tid: c.tid,
                        context: c.context,
                    }
                }
                K::CUDBG_EVENT_CTX_POP => {
                    let c = c.contextPop;
                    Event::ContextPop {
                        dev: c.dev,
                        tid: c.tid,
                        context: c.context,
                    }
                }
                K::CUDBG_EVENT_FUNCTIONS_LOADED => {
                    let c = c.functionsLoaded;
                    Event::FunctionsLoaded {
                        dev: c.dev,
                        count: c.count,
                        context: c.context,
                        module: c.module,
                    }
                }
                K::CUDBG_EVENT_ALL_DEVICES_SUSPENDED => {
                    let c = c.allDevicesSuspended;
                    Event::AllDevicesSuspended {
                        broken: c.brokenDevicesMask,
                        faulted: c.faultedDevicesMask,
                    }
                }
                K::CUDBG_EVENT_INTERNAL_ERROR => Event::InternalError {
                    code: c.internalError.errorType,
                },
                other => Event::Other(other),
            }
        })
    }

    /// The event as the API has it.
    pub fn to_c(self) -> CUDBGEvent {
        let mut e: CUDBGEvent = api::zeroed();
        let dim = |d: [u32; 3]| CuDim3 {
            x: d[0],
            y: d[1],
            z: d[2],
        };
        let kind = match self {
            Event::ElfImageLoaded {
                dev,
                context,
                module,
                size,
                handle,
                properties,
            } => {
                e.cases.elfImageLoaded = elfImageLoaded_st {
                    dev,
                    context,
                    module,
                    size,
                    handle,
                    properties,
                };
                K::CUDBG_EVENT_ELF_IMAGE_LOADED
            }
            Event::ElfImageUnloaded {
                dev,
                context,
                module,
                size,
                handle,
            } => {
                e.cases.elfImageUnloaded = elfImageUnloaded_st {
                    dev,
                    context,
                    module,
                    size,
                    handle,
                };
                K::CUDBG_EVENT_ELF_IMAGE_UNLOADED
            }
            Event::KernelReady {
                dev,
                tid,
                grid,
                context,
                module,
                function,
                entry,
                grid_dim,
                block_dim,
            } => {
                e.cases.kernelReady = kernelReady_st {
                    dev,
                    tid,
                    gridId: grid,
                    context,
                    module,
                    function,
                    functionEntry: entry,
                    gridDim: dim(grid_dim),
                    blockDim: dim(block_dim),
                    r#type: CUDBGKernelType::CUDBG_KNL_TYPE_APPLICATION,
                    parentGridId: 0,
                    origin: CUDBGKernelOrigin::CUDBG_KNL_ORIGIN_CPU,
                };
                K::CUDBG_EVENT_KERNEL_READY
            }
            Event::KernelFinished {
                dev,
                tid,
                grid,
                context,
                module,
                function,
                entry,
            } => {
                e.cases.kernelFinished = kernelFinished_st {
                    dev,
                    tid,
                    context,
                    module,
                    function,
                    functionEntry: entry,
                    gridId: grid,
                };
                K::CUDBG_EVENT_KERNEL_FINISHED
            }
            Event::ContextCreate { dev, tid, context } => {
                e.cases.contextCreate = contextCreate_st { dev, tid, context };
                K::CUDBG_EVENT_CTX_CREATE
            }
            Event::ContextDestroy { dev, tid, context } => {
                e.cases.contextDestroy = contextDestroy_st { dev, tid, context };
                K::CUDBG_EVENT_CTX_DESTROY
            }
            Event::ContextPush { dev, tid, context } => {
                e.cases.contextPush = contextPush_st { dev, tid, context };
                K::CUDBG_EVENT_CTX_PUSH
            }
            Event::ContextPop { dev, tid, context } => {
                e.cases.contextPop = contextPop_st { dev, tid, context };
                K::CUDBG_EVENT_CTX_POP
            }
            Event::FunctionsLoaded {
                dev,
                count,
                context,
                module,
            } => {
                e.cases.functionsLoaded = functionsLoaded_st {
                    dev,
                    count,
                    context,
                    module,
                };
                K::CUDBG_EVENT_FUNCTIONS_LOADED
            }
            Event::AllDevicesSuspended { broken, faulted } => {
                e.cases.allDevicesSuspended = allDevicesSuspended_st {
                    brokenDevicesMask: broken,
                    faultedDevicesMask: faulted,
                };
                K::CUDBG_EVENT_ALL_DEVICES_SUSPENDED
            }
            Event::InternalError { code } => {
                e.cases.internalError = internalError_st { errorType: code };
                K::CUDBG_EVENT_INTERNAL_ERROR
            }
            Event::Other(kind) => kind,
        };
        e.kind = kind;
        e
    }
}
