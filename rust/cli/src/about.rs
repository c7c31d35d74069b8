//! Completions for shells, and manual pages.

use std::io::{self, Write};

use clap::{Command, CommandFactory};
use clap_mangen::{Man as Page, roff::Roff};

use crate::args::{Args, Completions, Man};
use crate::failure::Failure;

pub fn completions(args: &Completions) -> Result<(), Failure> {
    let (mut command, mut script) = (Args::command(), Vec::new());
    let name = command.get_name().to_owned();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    print(&script)
}

pub fn manual(args: &Man) -> Result<(), Failure> {
    let mut all = Args::command();
    all.build();
    let command = match &args.command {
        None => all,
        Some(name) => {
            let found = all.find_subcommand(name).cloned();
            found.ok_or_else(|| Failure::Usage(format!("man: expected a command, found {name}")))?
        }
    };
    let mut page = Vec::new();
    write_page(command, &mut page).map_err(|error| Failure::output(&error))?;
    print(&page)
}

/// Writes a page, with the examples and exit codes of the help.
fn write_page(command: Command, out: &mut Vec<u8>) -> io::Result<()> {
    let help = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string);
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
    let (mut roff, mut has_details) = (Roff::new(), false);
    for part in help.unwrap_or_default().split("\n\n") {
        match part.split_once(":\n") {
            // A list with a heading.
            Some((heading, list)) if heading.lines().count() == 1 => {
                has_details = false;
                roff.control("SH", [heading.to_uppercase().as_str()]);
                roff.control("nf", []);
                for line in list.lines() {
                    roff.text([clap_mangen::roff::roman(line)]);
                }
                roff.control("fi", []);
            }
            _ => {
                if has_details {
                    roff.control("PP", [])
                } else {
                    roff.control("SH", ["DETAILS"])
                };
                has_details = true;
                roff.text([clap_mangen::roff::roman(part.replace('\n', " "))]);
            }
        }
    }
    roff.to_writer(out)
}

fn print(bytes: &[u8]) -> Result<(), Failure> {
    io::stdout().write_all(bytes).map_err(|error| Failure::output(&error))
}
