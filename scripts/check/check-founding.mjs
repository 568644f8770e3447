/** `node scripts/check/check-founding.mjs`: fails when a statement of the founding documents has no test and no reason. */
import { findProblems, readerOf, readStatements } from '../generate/make-founding.mjs'
import { repositoryRoot } from '../report.mjs'

const problems = findProblems(readStatements(repositoryRoot), readerOf(repositoryRoot))
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
else console.log('founding statements: each has a test or a reason')
