//! Completions for shells, and manual pages.

use std::io::{self, Write};

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man as Page;
use clap_mangen::roff::{Roff, roman};

use crate::args::Args;
use crate::failure::Failure;

pub fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "varbatch", &mut script);
    Ok(io::stdout().write_all(&script)?)
}

pub fn manual(command: Option<String>) -> Result<(), Failure> {
    let mut all = Args::command();
    all.build();
    if let Some(name) = command {
        let found = all.find_subcommand(&name).cloned();
        all = found.ok_or_else(|| Failure::Usage(format!("man: expected a command, found {name}")))?;
    }
    Ok(write_page(all, &mut io::stdout())?)
}

/// Writes a page, with the examples and exit codes of the help.
fn write_page(command: Command, out: &mut dyn Write) -> io::Result<()> {
    let help = command.get_after_long_help().or(command.get_after_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    let name = command.get_bin_name().unwrap_or(command.get_name()).replace(' ', "-");
    let has_commands = command.has_subcommands();
    let page = Page::new(command).title(name).manual("VarBatch".to_owned());
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    if has_commands {
        page.render_subcommands_section(out)?;
    }
    let (mut roff, mut section) = (Roff::new(), "");
    for part in help.split("\n\n") {
        // A list has a heading of one line.
        let list = part.split_once(":\n").filter(|(heading, _)| !heading.contains('\n'));
        let heading = list.map_or("details", |(heading, _)| heading);
        match heading == section {
            true => roff.control("PP", []),
            false => roff.control("SH", [heading.to_uppercase().as_str()]),
        };
        section = heading;
        if let Some((_, list)) = list {
            roff.control("nf", []);
            list.lines().for_each(|line| _ = roff.text([roman(line)]));
            roff.control("fi", []);
        } else {
            roff.text([roman(part.replace('\n', " "))]);
        }
    }
    roff.to_writer(out)
}
