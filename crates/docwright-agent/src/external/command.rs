//! The command of an external agent, and how it starts: confined, with an empty home.

use std::path::Path;

use tokio::process::Command;

use super::Confinement;

/// A program with its arguments, and variables of its own.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AgentCommand {
    variables: Vec<(String, String)>,
    program: String,
    arguments: Vec<String>,
}

impl AgentCommand {
    /// Reads a command as a shell does. `NAME=VALUE` before the program sets a variable.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let unreadable =
            |why: &str| format!("cannot read the command of the external agent: {why}");
        let words = shell_words::split(text).map_err(|error| unreadable(&error.to_string()))?;
        let mut words = words.into_iter().peekable();
        let mut variables = Vec::new();
        while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
            if !is_variable(name) {
                break;
            }
            variables.push((name.to_owned(), value.to_owned()));
            words.next();
        }
        let program = words.next().ok_or_else(|| unreadable("it names no program"))?;
        Ok(Self { variables, program, arguments: words.collect() })
    }

    /// The command, wrapped in `docwright confine`. The agent can write to its folder and its home.
    pub(super) fn confined(
        &self,
        confinement: &Confinement,
        folder: &Path,
        home: &Path,
    ) -> Command {
        let mut command = Command::new(&confinement.program);
        command.arg("confine").arg("--home").arg(home).arg("--write").arg(folder);
        for folder in &confinement.folders {
            command.arg("--read").arg(folder);
        }
        let own = self.variables.iter().map(|(name, _)| name);
        for name in confinement.environment.iter().chain(own) {
            command.arg("--environment").arg(name);
        }
        command.envs(self.variables.iter().cloned());
        command.arg("--").arg(&self.program).args(&self.arguments);
        command
    }
}

fn is_variable(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_as_a_shell_reads_them() {
        let read = AgentCommand::parse("A=1 B_2='x y' my-agent --acp \"a b\" C=3").unwrap();
        let pair = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        assert_eq!(read.variables, [("A", "1"), ("B_2", "x y")].map(pair));
        assert_eq!((read.program.as_str(), read.arguments.len()), ("my-agent", 3));
        assert_eq!(read.arguments, ["--acp", "a b", "C=3"]);
        assert_eq!(AgentCommand::parse("./a=b/run").unwrap().program, "./a=b/run");
        for wrong in ["", "A=1", "agent 'unclosed"] {
            let error = AgentCommand::parse(wrong).unwrap_err();
            assert!(
                error.starts_with("cannot read the command of the external agent: "),
                "{error}"
            );
        }
    }

    #[test]
    fn confined_command_names_what_the_agent_can_see() {
        let confinement = Confinement {
            program: "/bin/docwright".into(),
            environment: vec!["KEY".to_owned()],
            folders: vec!["/opt/models".into()],
        };
        let command = AgentCommand::parse("OWN=1 agent --acp").unwrap();
        let command = command.confined(&confinement, Path::new("/copy"), Path::new("/home"));
        let arguments: Vec<_> =
            command.as_std().get_args().map(|each| each.to_str().unwrap()).collect();
        let expected = "confine --home /home --write /copy --read /opt/models --environment KEY --environment OWN -- agent --acp";
        assert_eq!(arguments.join(" "), expected);
        let own: Vec<_> = command.as_std().get_envs().collect();
        assert_eq!(own, [("OWN".as_ref(), Some("1".as_ref()))]);
    }
}
