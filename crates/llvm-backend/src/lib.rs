//! rustc's own libLLVM at run time: verify, link, optimise, emit PTX and the side table
