//! Libraries that have the API, and the version that both sides know.

use crate::*;
use std::path::{Path, PathBuf};

/// A version of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Must be the same on both sides.
    pub major: u32,
    /// Slots are only added.
    pub minor: u32,
    /// As the minor number.
    pub revision: u32,
}

impl Version {
    /// The one that this crate describes.
    pub const OURS: Version = Version {
        major: CUDBG_API_VERSION_MAJOR,
        minor: CUDBG_API_VERSION_MINOR,
        revision: CUDBG_API_VERSION_REVISION,
    };

    /// The version to ask a library for that has `self`: the lower one; `None` when the major numbers differ.
    pub fn negotiate(self) -> Option<Version> {
        (self.major == Version::OURS.major).then(|| self.min(Version::OURS))
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.revision)
    }
}

/// Why there is no API.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The library, or a symbol in it, is not there.
    #[error("{path}: {why}")]
    Library {
        /// What was to be loaded.
        path: PathBuf,
        /// The loader's words.
        why: libloading::Error,
    },
    /// Another major version.
    #[error("the library has version {0} of the debugger API, and this debugger knows {ours}", ours = Version::OURS)]
    Version(Version),
    /// The library refused.
    #[error("the library gives no debugger API: {0}")]
    Refused(Error),
}

/// A loaded library that has the API. It is never unloaded: its threads may be about.
pub struct Library {
    library: &'static libloading::Library,
    /// The version agreed on.
    pub version: Version,
    /// Its functions.
    pub api: Api,
}

impl Library {
    /// NVIDIA's driver.
    ///
    /// # Safety
    /// As for [`Library::open`].
    pub unsafe fn libcuda() -> std::result::Result<Library, LoadError> {
        // SAFETY: the caller's promise.
        unsafe { Library::open(Path::new("libcuda.so.1")) }
    }

    /// Loads a library by its path and agrees on a version.
    ///
    /// # Safety
    /// The library's initialisers may run in this process, and what it exports by the API's names behaves as the API says.
    pub unsafe fn open(path: &Path) -> std::result::Result<Library, LoadError> {
        let wrong = |why| LoadError::Library {
            path: path.into(),
            why,
        };
        // SAFETY: the caller's promise.
        let library: &'static _ = Box::leak(Box::new(
            unsafe { libloading::Library::new(path) }.map_err(wrong)?,
        ));
        type GetVersion = unsafe extern "C" fn(*mut u32, *mut u32, *mut u32) -> CUDBGResult;
        type GetApi = unsafe extern "C" fn(u32, u32, u32, *mut *const CUDBGAPI_st) -> CUDBGResult;
        // SAFETY: the header's prototypes.
        let (get_version, get_api) = unsafe {
            let version: libloading::Symbol<'_, GetVersion> =
                library.get(b"cudbgGetAPIVersion\0").map_err(wrong)?;
            let api: libloading::Symbol<'_, GetApi> =
                library.get(b"cudbgGetAPI\0").map_err(wrong)?;
            (version, api)
        };
        let (mut major, mut minor, mut revision) = (0, 0, 0);
        // SAFETY: three places for numbers.
        api::check(unsafe { get_version(&mut major, &mut minor, &mut revision) })
            .map_err(LoadError::Refused)?;
        let theirs = Version {
            major,
            minor,
            revision,
        };
        let version = theirs.negotiate().ok_or(LoadError::Version(theirs))?;
        let mut table: *const CUDBGAPI_st = std::ptr::null();
        // SAFETY: a place for the table's address.
        let code = unsafe { get_api(version.major, version.minor, version.revision, &mut table) };
        api::check(code).map_err(LoadError::Refused)?;
        // SAFETY: the library gave the table, which lives as long as the library, and that is for ever. A library of a
        // version below ours has a shorter table only below 13.0.163, and no 13.x is below.
        let table: &'static CUDBGAPI_st =
            unsafe { table.as_ref() }.ok_or(LoadError::Refused(Error::Missing))?;
        // SAFETY: the caller's promise.
        let api = unsafe { Api::new(table) };
        Ok(Library {
            library,
            version,
            api,
        })
    }

    /// The address of a global of the library, such as [`CUDBG_APICLIENT_PID`].
    pub fn global(&self, name: &str) -> Option<*mut u32> {
        // SAFETY: the symbol is only used as an address.
        let symbol: libloading::Symbol<'_, *mut u32> =
            unsafe { self.library.get(name.as_bytes()) }.ok()?;
        Some(*symbol)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        let v = |major, minor, revision| Version {
            major,
            minor,
            revision,
        };
        assert_eq!(v(13, 2, 1).negotiate(), Some(Version::OURS));
        assert_eq!(v(13, 0, 100).negotiate(), Some(v(13, 0, 100)));
        assert_eq!(v(12, 9, 163).negotiate(), None);
        assert_eq!(v(14, 0, 0).negotiate(), None);
    }

    #[test]
    fn what_is_no_library_says_so() {
        // SAFETY: there is no such library.
        let e = unsafe { Library::open(Path::new("/nowhere/libcuda.so.1")) }
            .err()
            .unwrap();
        assert!(e.to_string().starts_with("/nowhere/libcuda.so.1: "), "{e}");
    }
}
