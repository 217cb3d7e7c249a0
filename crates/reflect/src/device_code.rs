//! The code of every kernel that a piece of a program launches.

use crate::code::{self, both, stage};
use crate::functions::{ptx_of_kernel, ptx_target};
use crate::listing::{of_artifact, of_cubin};
use crate::model::Listing;
use crate::{Error, Kernel, Result, text};
use artifact::Artifact;
use cubin::{Cubin, EntryKind, Image};
use cuda_core::{LaunchConfig, observe};
use std::cell::RefCell;
use std::rc::Rc;

/// A kernel that was launched; one for each kernel and shape.
#[derive(Clone, Debug)]
pub struct Launched {
    /// Its Rust path; of a foreign module the symbol.
    pub name: String,
    pub ptx_name: String,
    pub config: LaunchConfig,
    /// How often, with this shape.
    pub count: usize,
    module: Rc<Module>,
}

#[derive(Debug)]
enum Module {
    Ours(Box<Artifact>),
    Foreign(Vec<u8>),
}

/// The text of one launched kernel at a stage.
#[derive(Clone, Debug)]
pub struct DeviceCode {
    pub launched: Launched,
    pub code: String,
}

/// Runs `f` and tells what this thread launched meanwhile: on any stream, of modules loaded before or within, foreign ones
/// too; in the order of first launches. Nested calls each see what is launched within them.
pub fn record<R>(f: impl FnOnce() -> R) -> (R, Vec<Launched>) {
    let seen: Rc<RefCell<Vec<Launched>>> = Rc::default();
    let inner = seen.clone();
    let result = observe::launches(move |launch| note(&mut inner.borrow_mut(), launch), f);
    (result, seen.take())
}

fn note(seen: &mut Vec<Launched>, launch: &observe::Launch<'_>) {
    let same_module = |m: &Module| match (m, launch.module.artifact(), launch.module.image()) {
        (Module::Ours(mine), Some(artifact), _) => mine.ptx == artifact.ptx,
        (Module::Foreign(mine), None, Some(image)) => mine == image,
        _ => false,
    };
    let known = seen
        .iter()
        .find(|l| same_module(&l.module))
        .map(|l| l.module.clone());
    if let Some(module) = &known
        && let Some(again) = seen.iter_mut().find(|l| {
            Rc::ptr_eq(&l.module, module)
                && l.ptx_name == launch.ptx_name
                && l.config == launch.config
        })
    {
        again.count += 1;
        return;
    }
    let module = known.unwrap_or_else(|| {
        Rc::new(match (launch.module.artifact(), launch.module.image()) {
            (Some(artifact), _) => Module::Ours(Box::new(artifact.clone())),
            (None, image) => Module::Foreign(image.unwrap_or_default().to_vec()),
        })
    });
    let name = match &*module {
        Module::Ours(artifact) => {
            let kernel = artifact
                .kernels
                .iter()
                .find(|k| k.ptx_name == launch.ptx_name);
            kernel.map_or_else(|| launch.ptx_name.to_string(), |k| artifact::pretty(&k.key))
        }
        Module::Foreign(_) => launch.ptx_name.to_string(),
    };
    seen.push(Launched {
        name,
        ptx_name: launch.ptx_name.to_string(),
        config: launch.config,
        count: 1,
        module,
    });
}

impl Launched {
    fn kernel(&self, stage: &str) -> Result<Kernel<'_>> {
        match &*self.module {
            Module::Ours(artifact) => code::kernel(artifact, &self.ptx_name),
            Module::Foreign(_) => Err(Error::Foreign {
                kernel: self.name.clone(),
                stage: stage.to_string(),
            }),
        }
    }

    /// The text of a stage before PTX: `mir`, `dialect-mir`, `dialect-mir-ssa`, `dialect-llvm`.
    pub fn stage(&self, name: &str) -> Result<String> {
        stage(self.kernel(name)?, name)
    }

    pub fn llvm(&self) -> Result<String> {
        code::code_llvm(self.kernel("LLVM IR")?)
    }

    /// The PTX; of a foreign cubin what it embeds.
    pub fn ptx(&self) -> Result<String> {
        let image = match &*self.module {
            Module::Ours(artifact) => {
                return code::code_ptx(code::kernel(artifact, &self.ptx_name)?, None);
            }
            Module::Foreign(image) => image,
        };
        match form(image)? {
            Form::Ptx(text) => Ok(ptx_of_kernel(&text, &self.ptx_name)),
            Form::Cubin(bytes) => {
                let cubin = Cubin::parse(&bytes)?;
                let mut out = String::new();
                for ptx in cubin::extract_ptx(&cubin)? {
                    out += &ptx.with_locations(&cubin)?.to_string();
                }
                Ok(out)
            }
        }
    }

    /// The SASS, as of [`crate::code_sass`]; a foreign cubin's own, whatever architecture it has.
    pub fn sass(&self, arch: Option<&str>) -> Result<Listing> {
        let image = match &*self.module {
            Module::Ours(artifact) => {
                return code::code_sass(code::kernel(artifact, &self.ptx_name)?, arch);
            }
            Module::Foreign(image) => image,
        };
        let tools = both()?;
        let mut listing = match form(image)? {
            Form::Cubin(bytes) => of_cubin("module", &Cubin::parse(&bytes)?, &tools, self.block())?,
            Form::Ptx(ptx) => {
                let arch = match arch {
                    Some(arch) => arch.to_string(),
                    None => code::active()?,
                };
                // Foreign PTX has no side table: its own `.loc`, if any, are the lines.
                let artifact = Artifact {
                    crate_name: "module".to_string(),
                    arch: ptx_target(&ptx).unwrap_or_default().to_string(),
                    ptx,
                    kernels: vec![artifact::Kernel {
                        key: self.ptx_name.clone(),
                        ptx_name: self.ptx_name.clone(),
                        symbol: String::new(),
                        route: artifact::Route::Llvm,
                        launch_bounds: None,
                        source: None,
                        args: Vec::new(),
                        params: Vec::new(),
                    }],
                    ..Artifact::default()
                };
                of_artifact(&artifact, &tools, Some(&arch), Some(self.block()))?
            }
        };
        listing.keep_kernel(&self.ptx_name)?;
        Ok(listing)
    }

    fn block(&self) -> u32 {
        let (x, y, z) = self.config.block_dim;
        x.saturating_mul(y).saturating_mul(z)
    }
}

enum Form {
    Ptx(String),
    Cubin(Vec<u8>),
}

fn form(image: &[u8]) -> Result<Form> {
    let text = |bytes: &[u8]| {
        let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
        Form::Ptx(String::from_utf8_lossy(&bytes[..end]).into_owned())
    };
    match Image::parse(image) {
        Ok(Image::Cubin(_)) => Ok(Form::Cubin(image.to_vec())),
        Ok(Image::Fatbin(fatbin)) => match fatbin.find(EntryKind::Cubin, None) {
            Ok(entry) => Ok(Form::Cubin(entry.data()?.into_owned())),
            Err(_) => Ok(text(&fatbin.find(EntryKind::Ptx, None)?.data()?)),
        },
        Err(cubin::Error::NotCubin { .. }) => Ok(text(image)),
        Err(e) => Err(e.into()),
    }
}

/// Runs `f` and gives a text of each kernel that it launched.
///
/// # Errors
/// [`Error::NothingLaunched`]; and what the text's own function says.
fn device_code<R>(
    f: impl FnOnce() -> R,
    code: impl Fn(&Launched) -> Result<String>,
) -> Result<(R, Vec<DeviceCode>)> {
    let (result, launched) = record(f);
    if launched.is_empty() {
        return Err(Error::NothingLaunched);
    }
    let codes = launched.into_iter().map(|launched| {
        let code = code(&launched)?;
        Ok(DeviceCode { launched, code })
    });
    Ok((result, codes.collect::<Result<_>>()?))
}

macro_rules! device_code_functions {
    ($($(#[$doc:meta])* $name:ident = $code:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// [`Error::NothingLaunched`]; and what the function for one kernel says.
        pub fn $name<R>(f: impl FnOnce() -> R) -> Result<(R, Vec<DeviceCode>)> {
            device_code(f, $code)
        }
    )*};
}

device_code_functions! {
    /// Runs `f`; the MIR of what it launched.
    device_code_mir = |l| l.stage("mir");
    /// Runs `f`; the MIR dialect of what it launched.
    device_code_dialect_mir = |l| l.stage("dialect-mir-ssa");
    /// Runs `f`; the LLVM dialect of what it launched.
    device_code_dialect_llvm = |l| l.stage("dialect-llvm");
    /// Runs `f`; the LLVM IR of what it launched.
    device_code_llvm = |l| l.llvm();
    /// Runs `f`; the PTX of what it launched.
    device_code_ptx = |l| l.ptx();
    /// Runs `f`; the SASS of what it launched, for the active device.
    device_code_sass = |l| Ok(text::sass(&l.sass(None)?, false));
}
