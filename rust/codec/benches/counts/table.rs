//! The table that is kept, and how a count is judged by it.

use std::process::{Command, ExitCode};
use std::{env, fmt, fs};

use crate::valgrind::Counts;

pub const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/counts/table.txt");

/// What a path may take more than in the table. The same build counts the same to the instruction; this is for a change
/// elsewhere that moves the compiler to inline otherwise.
const TOLERANCE: f64 = 0.02;

const HEAD: &str = "\
# Instructions of the codec's hot paths, counted by valgrind's callgrind. Made by `scripts/bench.sh --count --update`.
# Columns: in the codec and in what it uses of Rust's library; in the C library (allocating, copying); the case.
";

/// What the counts depend on beside the code.
const KEYS: [&str; 4] = ["rustc", "target", "valgrind", "libc"];

pub struct Row {
    pub name: String,
    pub counts: Counts,
}

pub struct Table {
    /// What stands for each of the keys.
    made: [String; 4],
    pub rows: Vec<Row>,
}

impl Table {
    /// The table of what was counted here.
    pub fn now(rows: Vec<Row>) -> Self {
        let said = |program: &str, argument: &str| {
            let output = Command::new(program).arg(argument).current_dir(env!("CARGO_MANIFEST_DIR")).output();
            output.map_or_else(|_| "unknown".into(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        };
        let rustc = said("rustc", "--version").replacen("rustc ", "", 1);
        let target = format!("{}-{}", env::consts::ARCH, env::consts::OS);
        let valgrind = said("valgrind", "--version").replacen("valgrind-", "", 1);
        Self { made: [rustc, target, valgrind, said("getconf", "GNU_LIBC_VERSION")], rows }
    }

    pub fn load() -> Result<Self, String> {
        let text = fs::read_to_string(PATH).map_err(|error| format!("{PATH}: {error}"))?;
        let value = |key| text.lines().find_map(|line| line.strip_prefix(&format!("# {key}: ")));
        let made = KEYS.map(|key| value(key).unwrap_or_default().to_owned());
        let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let row = |(number, line)| Row::parse(line).ok_or_else(|| format!("{PATH}: line {}: not a row", number + 1));
        let rows = lines.map(row).collect::<Result<_, _>>()?;
        Ok(Self { made, rows })
    }

    pub fn save(&self) {
        fs::write(PATH, self.to_string()).expect("cannot write the table");
    }

    pub fn find(&self, name: &str) -> Option<Counts> {
        self.rows.iter().find(|row| row.name == name).map(|row| row.counts)
    }

    /// Prints `now` beside this table. Fails if a path takes more, or is not in the table.
    pub fn compare(&self, now: &Self) -> ExitCode {
        for (key, (before, value)) in KEYS.iter().zip(self.made.iter().zip(&now.made)).filter(|(_, (a, b))| a != b) {
            println!("{key}: the table was made with {before}, this is {value}");
        }
        if self.made[0] != now.made[0] {
            println!("counts move with the compiler: to judge a commit, --update at the one before it");
        }
        if self.made[1] != now.made[1] {
            println!("counts of different targets cannot be compared: --update makes a table for this one");
            return ExitCode::FAILURE;
        }
        // Another C library allocates and copies otherwise, and valgrind decides which of its copies are used.
        let is_libc_same = self.made[2..] == now.made[2..];
        println!("{:45}{:>19}{:>30}", "instructions", "in the codec", "with the C library");
        println!("{0:34}{1:>11}{2:>11}{3:>8}{1:>11}{2:>11}{3:>8}", "", "now", "table", "diff");
        let (mut slower, mut faster, mut new) = (0, 0, 0);
        for row in &now.rows {
            let counts = row.counts;
            let Some(before) = self.find(&row.name) else {
                println!("{:34}{:>11}{:>30}  not in the table", row.name, counts.own, counts.all());
                new += 1;
                continue;
            };
            let own = counts.own as f64 / before.own as f64 - 1.0;
            let all = counts.all() as f64 / before.all() as f64 - 1.0;
            let judged = [Some(own), is_libc_same.then_some(all)];
            let mark = if judged.iter().flatten().any(|&diff| diff > TOLERANCE) {
                slower += 1;
                "  SLOWER"
            } else if judged.iter().flatten().any(|&diff| diff < -TOLERANCE) {
                faster += 1;
                "  faster"
            } else {
                ""
            };
            print!("{:34}{:>11}{:>11}{:>+7.1}%", row.name, counts.own, before.own, own * 100.0);
            println!("{:>11}{:>11}{:>+7.1}%{mark}", counts.all(), before.all(), all * 100.0);
        }
        if !is_libc_same {
            println!("only what is in the codec is judged, as the C library or valgrind is another");
        }
        let percent = TOLERANCE * 100.0;
        println!("{slower} slower and {faster} faster by more than {percent} %, {new} not in the table");
        if faster + new > 0 {
            println!("to guard what was gained: scripts/bench.sh --count --update");
        }
        if slower + new == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

impl Row {
    fn parse(line: &str) -> Option<Self> {
        let (own, rest) = line.trim_start().split_once(' ')?;
        let (libc, name) = rest.trim_start().split_once(' ')?;
        let counts = Counts { own: own.parse().ok().filter(|&own| own > 0)?, libc: libc.parse().ok()? };
        Some(Self { name: name.trim().to_owned(), counts })
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}#")?;
        KEYS.iter().zip(&self.made).try_for_each(|(key, value)| writeln!(f, "# {key}: {value}"))?;
        self.rows
            .iter()
            .try_for_each(|Row { name, counts }| writeln!(f, "{:>9} {:>9}  {name}", counts.own, counts.libc))
    }
}
