/** Prompts for what people do most at GitHub. */

import { prompt } from '@portico/sdk/server'

const REPOSITORY = [
  { name: 'owner', description: 'Who owns the repository', required: true },
  { name: 'repo', description: 'Its name', required: true },
] as const

export function createPrompts() {
  return {
    review_pull_request: prompt(
      {
        title: 'Review a pull request',
        description: 'Reads a pull request and says what is right and what is not',
        arguments: [...REPOSITORY, { name: 'number', description: 'Its number', required: true }],
      },
      ({ owner, repo, number }) =>
        `Review pull request ${number} of ${owner}/${repo}. Read its summary, its difference and what reviewers have said ` +
        'with get_pull_request, and the files around it with get_file. Say what it does, what is wrong with it by file and ' +
        'line, and what is missing. Do not comment on GitHub unless I ask for it.',
    ),
    failing_run: prompt(
      {
        title: 'Why does it fail?',
        description: 'Finds out why the newest workflow run failed',
        arguments: REPOSITORY,
      },
      ({ owner, repo }) =>
        `Find the newest run of ${owner}/${repo} that failed with list_runs, its failed job with get_run, and read the end of ` +
        'that job’s log. Say why it failed, and which commit is likely to have caused it.',
    ),
  }
}
