//! Results of checks as JUnit XML, which CI systems read.
//!
//! Source: the schema of the Jenkins xUnit plug-in,
//! <https://github.com/jenkinsci/xunit-plugin/blob/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd>.
//! There are no times: they would differ from run to run.

use std::fmt::Write as _;

use crate::charts::escape_xml;

/// A suite of cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suite {
    /// Name.
    pub name: String,
    /// Its cases.
    pub cases: Vec<Case>,
}

/// One case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Name, unique in its suite.
    pub name: String,
    /// How it came out.
    pub verdict: Verdict,
    /// What it wrote, a line each.
    pub output: Vec<String>,
}

/// How a case came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Passed,
    /// It does not, and why.
    Failed(String),
    /// It was not tried, and why.
    Skipped(String),
}

/// The document; `name` is that of the whole.
pub fn document(name: &str, suites: &[Suite]) -> String {
    let count = |suite: &Suite, is: fn(&Verdict) -> bool| {
        suite.cases.iter().filter(|case| is(&case.verdict)).count()
    };
    let failed = |verdict: &Verdict| matches!(verdict, Verdict::Failed(_));
    let skipped = |verdict: &Verdict| matches!(verdict, Verdict::Skipped(_));
    let tests: usize = suites.iter().map(|suite| suite.cases.len()).sum();
    let failures: usize = suites.iter().map(|suite| count(suite, failed)).sum();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let whole = escape_xml(name);
    let _ = writeln!(
        out,
        "<testsuites name=\"{whole}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
    );
    for suite in suites {
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">",
            escape_xml(&suite.name),
            suite.cases.len(),
            count(suite, failed),
            count(suite, skipped),
        );
        for case in &suite.cases {
            let _ = writeln!(
                out,
                "    <testcase classname=\"{whole}.{}\" name=\"{}\">",
                escape_xml(&suite.name),
                escape_xml(&case.name),
            );
            match &case.verdict {
                Verdict::Passed => {}
                Verdict::Failed(why) => {
                    let _ = writeln!(out, "      <failure message=\"{}\"/>", escape_xml(why));
                }
                Verdict::Skipped(why) => {
                    let _ = writeln!(out, "      <skipped message=\"{}\"/>", escape_xml(why));
                }
            }
            if !case.output.is_empty() {
                let lines: Vec<String> = case.output.iter().map(|l| escape_xml(l)).collect();
                let _ = writeln!(out, "      <system-out>{}</system-out>", lines.join("\n"));
            }
            out.push_str("    </testcase>\n");
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_counts_add_up() {
        let case = |name: &str, verdict, output: &[&str]| Case {
            name: name.into(),
            verdict,
            output: output.iter().map(ToString::to_string).collect(),
        };
        let cases = vec![
            case("a < b & \"c\"", Verdict::Failed("1 > 0\u{0}".into()), &["line", "]]> & <x>"]),
            case("d", Verdict::Skipped("none".into()), &[]),
            case("e", Verdict::Passed, &[]),
        ];
        let text = document("shardlab accept", &[Suite { name: "bounds".into(), cases }]);
        let want = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
            <testsuites name=\"shardlab accept\" tests=\"3\" failures=\"1\" errors=\"0\">\n  \
              <testsuite name=\"bounds\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\">\n    \
                <testcase classname=\"shardlab accept.bounds\" name=\"a &lt; b &amp; &quot;c&quot;\">\n      \
                  <failure message=\"1 &gt; 0\u{fffd}\"/>\n      \
                  <system-out>line\n]]&gt; &amp; &lt;x&gt;</system-out>\n    \
                </testcase>\n    \
                <testcase classname=\"shardlab accept.bounds\" name=\"d\">\n      \
                  <skipped message=\"none\"/>\n    \
                </testcase>\n    \
                <testcase classname=\"shardlab accept.bounds\" name=\"e\">\n    \
                </testcase>\n  \
              </testsuite>\n</testsuites>\n";
        assert_eq!(text, want);
    }
}
