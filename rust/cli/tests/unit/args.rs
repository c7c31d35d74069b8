use clap::CommandFactory;

use super::*;

#[test]
fn the_command_line_is_sound() {
    Args::command().debug_assert();
}

#[test]
fn every_engine_has_a_name() {
    let engines: Vec<_> = DialectName::value_variants().iter().map(|name| name.dialect().engine).collect();
    assert_eq!(engines, Engine::ALL);
    let names: Vec<_> = DialectName::value_variants().iter().map(|name| name.text()).collect();
    assert_eq!(names, ["godot4", "godot3", "pandemonium", "pandemonium-3.8", "pandemonium-3.5"]);
}
