//! Types in LLVM's text.

use crate::{ExportError, Exporter, Result};
use dialect_llvm::llvm::types::{
    ArrayType, FuncType, PointerType, StructLayout, StructType, VectorType, VoidType,
};
use pliron::{
    builtin::{
        type_interfaces::FunctionTypeInterface,
        types::{BF16Type, FP16Type, FP32Type, FP64Type, IntegerType},
    },
    printable::Printable,
    r#type::TypeHandle,
};

impl Exporter<'_> {
    /// The type's text.
    pub(crate) fn ty(&self, ty: TypeHandle) -> Result<String> {
        let ctx = self.ctx;
        let data = ty.deref(ctx);
        Ok(if let Some(int) = data.downcast_ref::<IntegerType>() {
            format!("i{}", int.width())
        } else if data.is::<FP32Type>() {
            "float".to_string()
        } else if data.is::<FP64Type>() {
            "double".to_string()
        } else if data.is::<FP16Type>() {
            "half".to_string()
        } else if data.is::<BF16Type>() {
            "bfloat".to_string()
        } else if data.is::<VoidType>() {
            "void".to_string()
        } else if let Some(pointer) = data.downcast_ref::<PointerType>() {
            match pointer.address_space() {
                0 => "ptr".to_string(),
                space => format!("ptr addrspace({space})"),
            }
        } else if let Some(array) = data.downcast_ref::<ArrayType>() {
            format!("[{} x {}]", array.size(), self.ty(array.elem_type())?)
        } else if let Some(vector) = data.downcast_ref::<VectorType>() {
            if vector.is_scalable() {
                return Err(ExportError::Type(ty.disp(ctx).to_string()));
            }
            format!(
                "<{} x {}>",
                vector.num_elements(),
                self.ty(vector.elem_type())?
            )
        } else if let Some(structure) = data.downcast_ref::<StructType>() {
            // Structs are written out: two names for one body would not be equal to LLVM.
            if structure.is_opaque() {
                return Err(ExportError::Type(ty.disp(ctx).to_string()));
            }
            let fields = structure
                .fields()
                .map(|field| self.ty(field))
                .collect::<Result<Vec<_>>>()?
                .join(", ");
            match structure.layout() {
                StructLayout::Packed if fields.is_empty() => "<{}>".to_string(),
                StructLayout::Packed => format!("<{{ {fields} }}>"),
                StructLayout::Unpacked if fields.is_empty() => "{}".to_string(),
                StructLayout::Unpacked => format!("{{ {fields} }}"),
            }
        } else if let Some(function) = data.downcast_ref::<FuncType>() {
            let mut arguments = function
                .arg_types()
                .into_iter()
                .map(|ty| self.ty(ty))
                .collect::<Result<Vec<_>>>()?;
            if function.is_var_arg() {
                arguments.push("...".to_string());
            }
            format!(
                "{} ({})",
                self.ty(function.result_type())?,
                arguments.join(", ")
            )
        } else {
            return Err(ExportError::Type(ty.disp(ctx).to_string()));
        })
    }
}
