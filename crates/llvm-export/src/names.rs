//! Names: LLVM's intrinsics from identifiers, and quoting.

/// LLVM's name of an intrinsic. An identifier `llvm_nvvm_barrier0` becomes dotted by rule, except where LLVM's own name contains
/// underscores; a name that is dotted already stays.
pub fn intrinsic(identifier: &str) -> String {
    if !identifier.starts_with("llvm_") {
        return identifier.to_string();
    }
    WITH_UNDERSCORES
        .iter()
        .find(|name| {
            name.len() == identifier.len()
                && name
                    .bytes()
                    .map(|b| if b == b'.' { b'_' } else { b })
                    .eq(identifier.bytes())
        })
        .map_or_else(|| identifier.replace('_', "."), |name| (*name).to_string())
}

/// A symbol as it stands behind `@`: in quotes if LLVM's lexer wants them.
pub(crate) fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-');
    if !name.is_empty()
        && name.chars().all(plain)
        && !name.starts_with(|c: char| c.is_ascii_digit())
    {
        name.to_string()
    } else {
        format!("\"{}\"", escaped(name))
    }
}

/// The inside of a string in LLVM's text.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' '..=b'~' if byte != b'"' && byte != b'\\' => out.push(byte as char),
            _ => {
                out.push('\\');
                out.push_str(&format!("{byte:02X}"));
            }
        }
    }
    out
}

/// The NVPTX intrinsics of LLVM 22.1 whose names contain underscores, as its own table of names has them.
pub const WITH_UNDERSCORES: &[&str] = &[
    "llvm.nvvm.clusterlaunchcontrol.query_cancel.get_first_ctaid.x",
    "llvm.nvvm.clusterlaunchcontrol.query_cancel.get_first_ctaid.y",
    "llvm.nvvm.clusterlaunchcontrol.query_cancel.get_first_ctaid.z",
    "llvm.nvvm.clusterlaunchcontrol.query_cancel.is_canceled",
    "llvm.nvvm.clusterlaunchcontrol.try_cancel.async.multicast.shared",
    "llvm.nvvm.clusterlaunchcontrol.try_cancel.async.shared",
    "llvm.nvvm.fence.acquire.sync_restrict.space.cluster.scope.cluster",
    "llvm.nvvm.fence.mbarrier_init.release.cluster",
    "llvm.nvvm.fence.proxy.async.shared_cluster",
    "llvm.nvvm.fence.proxy.async.shared_cta",
    "llvm.nvvm.fence.proxy.async_generic.acquire.sync_restrict.space.cluster.scope.cluster",
    "llvm.nvvm.fence.proxy.async_generic.release.sync_restrict.space.cta.scope.cluster",
    "llvm.nvvm.fence.proxy.tensormap_generic.acquire.cluster",
    "llvm.nvvm.fence.proxy.tensormap_generic.acquire.cta",
    "llvm.nvvm.fence.proxy.tensormap_generic.acquire.gpu",
    "llvm.nvvm.fence.proxy.tensormap_generic.acquire.sys",
    "llvm.nvvm.fence.proxy.tensormap_generic.release.cluster",
    "llvm.nvvm.fence.proxy.tensormap_generic.release.cta",
    "llvm.nvvm.fence.proxy.tensormap_generic.release.gpu",
    "llvm.nvvm.fence.proxy.tensormap_generic.release.sys",
    "llvm.nvvm.fence.release.sync_restrict.space.cta.scope.cluster",
    "llvm.nvvm.is_explicit_cluster",
    "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x1.trans.b8x16.b4x16_p64",
    "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x1.trans.b8x16.b6x16_p32",
    "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x2.trans.b8x16.b4x16_p64",
    "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x2.trans.b8x16.b6x16_p32",
    "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x1.b8x16.b4x16_p64",
    "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x1.b8x16.b6x16_p32",
    "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x2.b8x16.b4x16_p64",
    "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x2.b8x16.b6x16_p32",
    "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x4.b8x16.b4x16_p64",
    "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x4.b8x16.b6x16_p32",
    "llvm.nvvm.read.ptx.sreg.aggr_smem_size",
    "llvm.nvvm.read.ptx.sreg.dynamic_smem_size",
    "llvm.nvvm.read.ptx.sreg.total_smem_size",
    "llvm.nvvm.tcgen05.cp.128x128b.b4x16_p64.cg1",
    "llvm.nvvm.tcgen05.cp.128x128b.b4x16_p64.cg2",
    "llvm.nvvm.tcgen05.cp.128x128b.b6x16_p32.cg1",
    "llvm.nvvm.tcgen05.cp.128x128b.b6x16_p32.cg2",
    "llvm.nvvm.tcgen05.cp.128x256b.b4x16_p64.cg1",
    "llvm.nvvm.tcgen05.cp.128x256b.b4x16_p64.cg2",
    "llvm.nvvm.tcgen05.cp.128x256b.b6x16_p32.cg1",
    "llvm.nvvm.tcgen05.cp.128x256b.b6x16_p32.cg2",
    "llvm.nvvm.tcgen05.cp.32x128b_warpx4.b4x16_p64.cg1",
    "llvm.nvvm.tcgen05.cp.32x128b_warpx4.b4x16_p64.cg2",
    "llvm.nvvm.tcgen05.cp.32x128b_warpx4.b6x16_p32.cg1",
    "llvm.nvvm.tcgen05.cp.32x128b_warpx4.b6x16_p32.cg2",
    "llvm.nvvm.tcgen05.cp.32x128b_warpx4.cg1",
    "llvm.nvvm.tcgen05.cp.32x128b_warpx4.cg2",
    "llvm.nvvm.tcgen05.cp.4x256b.b4x16_p64.cg1",
    "llvm.nvvm.tcgen05.cp.4x256b.b4x16_p64.cg2",
    "llvm.nvvm.tcgen05.cp.4x256b.b6x16_p32.cg1",
    "llvm.nvvm.tcgen05.cp.4x256b.b6x16_p32.cg2",
    "llvm.nvvm.tcgen05.cp.64x128b_warpx2_01_23.b4x16_p64.cg1",
    "llvm.nvvm.tcgen05.cp.64x128b_warpx2_01_23.b4x16_p64.cg2",
    "llvm.nvvm.tcgen05.cp.64x128b_warpx2_01_23.b6x16_p32.cg1",
    "llvm.nvvm.tcgen05.cp.64x128b_warpx2_01_23.b6x16_p32.cg2",
    "llvm.nvvm.tcgen05.cp.64x128b_warpx2_01_23.cg1",
    "llvm.nvvm.tcgen05.cp.64x128b_warpx2_01_23.cg2",
    "llvm.nvvm.tcgen05.cp.64x128b_warpx2_02_13.b4x16_p64.cg1",
    "llvm.nvvm.tcgen05.cp.64x128b_warpx2_02_13.b4x16_p64.cg2",
    "llvm.nvvm.tcgen05.cp.64x128b_warpx2_02_13.b6x16_p32.cg1",
    "llvm.nvvm.tcgen05.cp.64x128b_warpx2_02_13.b6x16_p32.cg2",
    "llvm.nvvm.tcgen05.cp.64x128b_warpx2_02_13.cg1",
    "llvm.nvvm.tcgen05.cp.64x128b_warpx2_02_13.cg2",
    "llvm.nvvm.tcgen05.mma.shared.disable_output_lane.cg1",
    "llvm.nvvm.tcgen05.mma.shared.disable_output_lane.cg2",
    "llvm.nvvm.tcgen05.mma.shared.mxf4.block_scale",
    "llvm.nvvm.tcgen05.mma.shared.mxf4.block_scale.block32",
    "llvm.nvvm.tcgen05.mma.shared.mxf4nvf4.block_scale.block16",
    "llvm.nvvm.tcgen05.mma.shared.mxf4nvf4.block_scale.block32",
    "llvm.nvvm.tcgen05.mma.shared.mxf8f6f4.block_scale",
    "llvm.nvvm.tcgen05.mma.shared.mxf8f6f4.block_scale.block32",
    "llvm.nvvm.tcgen05.mma.shared.scale_d",
    "llvm.nvvm.tcgen05.mma.shared.scale_d.disable_output_lane.cg1",
    "llvm.nvvm.tcgen05.mma.shared.scale_d.disable_output_lane.cg2",
    "llvm.nvvm.tcgen05.mma.sp.shared.disable_output_lane.cg1",
    "llvm.nvvm.tcgen05.mma.sp.shared.disable_output_lane.cg2",
    "llvm.nvvm.tcgen05.mma.sp.shared.mxf4.block_scale",
    "llvm.nvvm.tcgen05.mma.sp.shared.mxf4.block_scale.block32",
    "llvm.nvvm.tcgen05.mma.sp.shared.mxf4nvf4.block_scale.block16",
    "llvm.nvvm.tcgen05.mma.sp.shared.mxf4nvf4.block_scale.block32",
    "llvm.nvvm.tcgen05.mma.sp.shared.mxf8f6f4.block_scale",
    "llvm.nvvm.tcgen05.mma.sp.shared.mxf8f6f4.block_scale.block32",
    "llvm.nvvm.tcgen05.mma.sp.shared.scale_d",
    "llvm.nvvm.tcgen05.mma.sp.shared.scale_d.disable_output_lane.cg1",
    "llvm.nvvm.tcgen05.mma.sp.shared.scale_d.disable_output_lane.cg2",
    "llvm.nvvm.tcgen05.mma.sp.tensor.disable_output_lane.cg1",
    "llvm.nvvm.tcgen05.mma.sp.tensor.disable_output_lane.cg1.ashift",
    "llvm.nvvm.tcgen05.mma.sp.tensor.disable_output_lane.cg2",
    "llvm.nvvm.tcgen05.mma.sp.tensor.disable_output_lane.cg2.ashift",
    "llvm.nvvm.tcgen05.mma.sp.tensor.mxf4.block_scale",
    "llvm.nvvm.tcgen05.mma.sp.tensor.mxf4.block_scale.block32",
    "llvm.nvvm.tcgen05.mma.sp.tensor.mxf4nvf4.block_scale.block16",
    "llvm.nvvm.tcgen05.mma.sp.tensor.mxf4nvf4.block_scale.block32",
    "llvm.nvvm.tcgen05.mma.sp.tensor.mxf8f6f4.block_scale",
    "llvm.nvvm.tcgen05.mma.sp.tensor.mxf8f6f4.block_scale.block32",
    "llvm.nvvm.tcgen05.mma.sp.tensor.scale_d",
    "llvm.nvvm.tcgen05.mma.sp.tensor.scale_d.ashift",
    "llvm.nvvm.tcgen05.mma.sp.tensor.scale_d.disable_output_lane.cg1",
    "llvm.nvvm.tcgen05.mma.sp.tensor.scale_d.disable_output_lane.cg1.ashift",
    "llvm.nvvm.tcgen05.mma.sp.tensor.scale_d.disable_output_lane.cg2",
    "llvm.nvvm.tcgen05.mma.sp.tensor.scale_d.disable_output_lane.cg2.ashift",
    "llvm.nvvm.tcgen05.mma.tensor.disable_output_lane.cg1",
    "llvm.nvvm.tcgen05.mma.tensor.disable_output_lane.cg1.ashift",
    "llvm.nvvm.tcgen05.mma.tensor.disable_output_lane.cg2",
    "llvm.nvvm.tcgen05.mma.tensor.disable_output_lane.cg2.ashift",
    "llvm.nvvm.tcgen05.mma.tensor.mxf4.block_scale",
    "llvm.nvvm.tcgen05.mma.tensor.mxf4.block_scale.block32",
    "llvm.nvvm.tcgen05.mma.tensor.mxf4nvf4.block_scale.block16",
    "llvm.nvvm.tcgen05.mma.tensor.mxf4nvf4.block_scale.block32",
    "llvm.nvvm.tcgen05.mma.tensor.mxf8f6f4.block_scale",
    "llvm.nvvm.tcgen05.mma.tensor.mxf8f6f4.block_scale.block32",
    "llvm.nvvm.tcgen05.mma.tensor.scale_d",
    "llvm.nvvm.tcgen05.mma.tensor.scale_d.ashift",
    "llvm.nvvm.tcgen05.mma.tensor.scale_d.disable_output_lane.cg1",
    "llvm.nvvm.tcgen05.mma.tensor.scale_d.disable_output_lane.cg1.ashift",
    "llvm.nvvm.tcgen05.mma.tensor.scale_d.disable_output_lane.cg2",
    "llvm.nvvm.tcgen05.mma.tensor.scale_d.disable_output_lane.cg2.ashift",
    "llvm.nvvm.tcgen05.mma.ws.shared.zero_col_mask",
    "llvm.nvvm.tcgen05.mma.ws.sp.shared.zero_col_mask",
    "llvm.nvvm.tcgen05.mma.ws.sp.tensor.zero_col_mask",
    "llvm.nvvm.tcgen05.mma.ws.tensor.zero_col_mask",
    "llvm.nvvm.wgmma.commit_group.sync.aligned",
    "llvm.nvvm.wgmma.wait_group.sync.aligned",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_become_dotted() {
        assert_eq!(
            intrinsic("llvm_nvvm_read_ptx_sreg_tid_x"),
            "llvm.nvvm.read.ptx.sreg.tid.x"
        );
        assert_eq!(
            intrinsic("llvm_nvvm_fence_mbarrier_init_release_cluster"),
            "llvm.nvvm.fence.mbarrier_init.release.cluster"
        );
        assert_eq!(intrinsic("llvm.umin.i32"), "llvm.umin.i32");
    }

    #[test]
    fn symbols_are_quoted_when_they_must_be() {
        assert_eq!(quoted("_RNvC1a1b"), "_RNvC1a1b");
        assert_eq!(quoted("a b\"c"), "\"a b\\22c\"");
        assert_eq!(quoted("1a"), "\"1a\"");
    }
}
