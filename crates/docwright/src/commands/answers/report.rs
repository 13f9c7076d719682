//! Prints what golden questions showed.

use docwright_site::answer::golden::{Figures, JudgedQuestion, Method};
use docwright_types::{counted::counted, printable::printable_line};
use serde::Serialize;

use super::baseline::Compared;

/// The line of `--json`. Its keys are fixed.
#[derive(Debug, Serialize)]
struct Report<'a> {
    method: Method,
    figures: &'a Figures,
    /// Left out without a baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'a Compared>,
    questions: &'a [JudgedQuestion],
}

/// Prints each question that failed, the figures, and the comparison with the baseline.
pub(super) fn print(
    method: Method,
    judged: &[JudgedQuestion],
    figures: &Figures,
    compared: Option<&Compared>,
    json: bool,
) -> anyhow::Result<()> {
    if json {
        let report = Report { method, figures, baseline: compared, questions: judged };
        println!("{}", serde_json::to_string(&report)?);
        return Ok(());
    }
    for question in judged.iter().filter(|question| !question.has_passed()) {
        let failures = question.failures.join("; ");
        println!(
            "failed: {}\n    {}",
            printable_line(&question.question),
            printable_line(&failures)
        );
    }
    if judged.iter().any(|question| !question.has_passed()) {
        println!();
    }
    let passed = judged.iter().filter(|question| question.has_passed()).count();
    println!("{passed} of {} passed with {}", counted(judged.len(), "question"), method.name());
    for (name, value) in [
        ("recall at 1", figures.recall_at1),
        ("recall at 3", figures.recall_at3),
        ("recall at 5", figures.recall_at5),
        ("mean reciprocal rank", figures.mean_reciprocal_rank),
        ("right refusals", figures.right_refusals),
        ("wrong refusals", figures.wrong_refusals),
        ("citations that hold", figures.citations_that_hold),
    ] {
        if let Some(value) = value {
            println!("  {name:<22}{value:.2}");
        }
    }
    if let Some(compared) = compared {
        for question in &compared.lost {
            println!("lost: {}", printable_line(question));
        }
        println!(
            "{} lost, {} gained, {} gone since the baseline",
            compared.lost.len(),
            compared.gained.len(),
            compared.gone
        );
    }
    Ok(())
}
