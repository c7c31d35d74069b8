//! Link arguments of the library for macOS.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "macos") {
        // Else linkers write the path that it was built at.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libvarbatch.macos.universal.dylib");
        // Room for the load command of a signature, which exports add.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-headerpad_max_install_names");
    }
}
