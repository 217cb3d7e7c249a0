//! One kernel's text at a stage, from its artifact. Nothing here reads or fills a cache.

use crate::functions::{ptx_of_kernel, ptx_target};
use crate::listing::{Tools, of_artifact};
use crate::model::Listing;
use crate::{Error, Result};
use artifact::Artifact;
use cuda_core::CudaContext;

/// A kernel of an artifact.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    pub artifact: &'a Artifact,
    pub kernel: &'a artifact::Kernel,
}

/// The kernel that a name means: its key or Rust path, the end of its path, or its name in PTX. Of a generic kernel each instance
/// is one of its own, named as in messages (`map::<f32, …>`).
///
/// ```no_run
/// # fn f(module: &cuda_core::CudaModule) -> Result<(), Box<dyn std::error::Error>> {
/// use reflect::{code_ptx, code_sass, kernel};
/// let scale = kernel(module.artifact().ok_or("foreign")?, "scale")?;
/// println!("{}", code_ptx(scale, None)?);
/// println!("{}", reflect::text::sass(&code_sass(scale, Some("sm_100a"))?, false));
/// # Ok(()) }
/// ```
pub fn kernel<'a>(artifact: &'a Artifact, name: &str) -> Result<Kernel<'a>> {
    let pretty = |k: &artifact::Kernel| artifact::pretty(&k.key);
    let exact = |k: &&artifact::Kernel| k.key == name || k.ptx_name == name || pretty(k) == name;
    let ends = |k: &&artifact::Kernel| {
        let full = pretty(k);
        // Generic arguments are left out of the name where they are not needed.
        let path = full.split("::<").next().unwrap_or_default();
        [full.as_str(), path].iter().any(|p| {
            p.strip_suffix(name)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
        })
    };
    let mut found: Vec<&artifact::Kernel> = artifact.kernels.iter().filter(exact).collect();
    if found.is_empty() {
        found = artifact.kernels.iter().filter(ends).collect();
    }
    let names = |all: &[&artifact::Kernel]| {
        let names: Vec<String> = all.iter().map(|k| pretty(k)).collect();
        names.join(", ")
    };
    match found[..] {
        [kernel] => Ok(Kernel { artifact, kernel }),
        [] => Err(Error::NoKernel {
            name: name.to_string(),
            there_are: names(&artifact.kernels.iter().collect::<Vec<_>>()),
        }),
        _ => Err(Error::Ambiguous {
            name: name.to_string(),
            kernels: names(&found),
        }),
    }
}

pub(crate) fn stage(kernel: Kernel<'_>, stage: &str) -> Result<String> {
    let Kernel { artifact, kernel } = kernel;
    let text = artifact.stage(Some(&kernel.key), stage);
    match text.or_else(|| artifact.stage(None, stage)) {
        Some(text) => Ok(text.to_string()),
        None => Err(Error::NoStage {
            crate_name: artifact.crate_name.clone(),
            stage: stage.to_string(),
            help: format!(
                "build with CUDA_OXIDE_STAGES=1 to keep it (a kernel that came from rustc's LLVM IR has no MIR stages); \
                 `cargo oxide inspect --stage {stage}` prints it"
            ),
        }),
    }
}

/// What rustc printed for the kernel.
///
/// # Errors
/// [`Error::NoStage`] where the build did not keep the text; so for the next two.
pub fn code_mir(kernel: Kernel<'_>) -> Result<String> {
    stage(kernel, "mir")
}

/// Its translation, after stack slots became values.
pub fn code_dialect_mir(kernel: Kernel<'_>) -> Result<String> {
    stage(kernel, "dialect-mir-ssa")
}

/// Lowered: LLVM and NVVM operations.
pub fn code_dialect_llvm(kernel: Kernel<'_>) -> Result<String> {
    stage(kernel, "dialect-llvm")
}

/// LLVM IR: the kernel's own where the build kept it, else the module's.
pub fn code_llvm(kernel: Kernel<'_>) -> Result<String> {
    match stage(kernel, "llvm") {
        Err(Error::NoStage { .. }) if !kernel.artifact.llvm_ir.is_empty() => {
            Ok(kernel.artifact.llvm_ir.clone())
        }
        other => other,
    }
}

/// The number of `sm_90a`.
fn number(arch: &str) -> Option<u32> {
    arch.strip_prefix("sm_")?
        .trim_end_matches(['a', 'f'])
        .parse()
        .ok()
}

/// The PTX that a GPU of this architecture (by default the one it was built for) gets: the module with this kernel alone. PTX
/// for an older architecture is PTX for every newer one.
///
/// # Errors
/// [`Error::OlderArch`]; an architecture that is none.
pub fn code_ptx(kernel: Kernel<'_>, arch: Option<&str>) -> Result<String> {
    check_arch(kernel.artifact, arch)?;
    Ok(ptx_of_kernel(&kernel.artifact.ptx, &kernel.kernel.ptx_name))
}

fn check_arch(artifact: &Artifact, arch: Option<&str>) -> Result<()> {
    let built = ptx_target(&artifact.ptx).unwrap_or(&artifact.arch);
    let Some(asked) = arch else { return Ok(()) };
    let (Some(a), Some(b)) = (number(asked), number(built)) else {
        return Err(Error::NoArch(format!(
            "an architecture looks like sm_90, and not like `{asked}`"
        )));
    };
    // sm_90a is for sm_90a alone.
    let only = built.ends_with('a') && asked != built;
    if a < b || only {
        return Err(Error::OlderArch {
            built: built.to_string(),
            asked: asked.to_string(),
        });
    }
    Ok(())
}

/// The SASS of the kernel, by ptxas and nvdisasm, for this architecture (by default the active device's): its [`Listing`] has
/// instructions with address, encoding, text, Rust frames and PTX line, and what the kernel takes. Needs no GPU where an
/// architecture is given.
///
/// # Errors
/// A missing tool; without an architecture: no device, or the simulator, which executes PTX.
pub fn code_sass(kernel: Kernel<'_>, arch: Option<&str>) -> Result<Listing> {
    let arch = match arch {
        Some(arch) => arch.to_string(),
        None => active()?,
    };
    check_arch(kernel.artifact, Some(&arch))?;
    let tools = both()?;
    let mut listing = of_artifact(kernel.artifact, &tools, Some(&arch), None)?;
    listing.keep_kernel(&kernel.kernel.ptx_name)?;
    Ok(listing)
}

pub(crate) fn both() -> Result<Tools> {
    Ok(Tools {
        ptxas: Some(cubin::find(cubin::Tool::Ptxas, None)?),
        nvdisasm: Some(cubin::find(cubin::Tool::Nvdisasm, None)?),
    })
}

/// The architecture of device 0.
pub(crate) fn active() -> Result<String> {
    let context = CudaContext::new(0)?;
    if context.is_simulated() {
        return Err(Error::NoArch(
            "the active device is the simulator, which executes PTX and has no SASS\n  help: name an architecture, such as sm_90"
                .to_string(),
        ));
    }
    let (major, minor) = context.compute_capability()?;
    Ok(format!("sm_{major}{minor}"))
}
