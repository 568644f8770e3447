/** The tools that read issues and pull requests, with what people said about them. */

import { tool } from '@portico/sdk/server'
import { toLine, toList, toObject, toText } from '../vendor/values.ts'
import { type Context, foreign, READS, START_INPUT } from '../vendor/vendor-host.ts'
import { pathOf } from '../vendor/vendor-path.ts'
import { day, type GithubHost, isMore, login, rows } from './host.ts'
import { NUMBER_INPUT, PAGE_INPUT, PER_PAGE, REPOSITORY_INPUT, STATE_INPUT } from './inputs.ts'

export function createIssueTools(host: GithubHost) {
  return {
    list_issues: listTool(host, 'issues', 'Issues', 'The issues of a repository, the newest first'),
    get_issue: getIssue(host),
    list_pull_requests: listTool(host, 'pulls', 'Pull requests', 'The pull requests of a repository, the newest first'),
    get_pull_request: getPullRequest(host),
  }
}

function listTool(host: GithubHost, kind: 'issues' | 'pulls', title: string, description: string) {
  const input = {
    type: 'object',
    properties: { ...REPOSITORY_INPUT, state: STATE_INPUT, ...PAGE_INPUT },
    required: ['owner', 'repo'],
    additionalProperties: false,
  } as const
  return tool(
    { title, description, input, ...READS },
    async ({ owner, repo, state = 'open', page = 1, start }, ctx: Context) => {
      host.rule.require(owner, repo)
      const query = { state, page, per_page: PER_PAGE }
      const answer = await host.service.send(pathOf`/repos/${owner}/${repo}/${kind}`, { query }, ctx)
      // The service lists pull requests among the issues.
      const own = toList(answer.json).filter((item) => kind === 'pulls' || item.pull_request === undefined)
      return rows(host, answer, own.map(line), { page, start })
    },
  )
}

function line(item: ReturnType<typeof toObject>): string {
  const labels = toList(item.labels).map(({ name }) => toLine(name, 50))
  const marks = labels.length === 0 ? '' : ` [${labels.join(', ')}]`
  return `#${toText(item.number)} ${toLine(item.state, 10)} · ${toLine(item.title)}${marks} · ${login(item.user)} ${day(item.updated_at)}`
}

const ONE_INPUT = {
  type: 'object',
  properties: { ...REPOSITORY_INPUT, number: NUMBER_INPUT, start: START_INPUT },
  required: ['owner', 'repo', 'number'],
  additionalProperties: false,
} as const

function getIssue(host: GithubHost) {
  const description = 'An issue or a pull request as people see it: its text and all that was said'
  return tool(
    { title: 'Issue', description, input: ONE_INPUT, ...READS },
    async ({ owner, repo, number, start }, ctx: Context) => {
      host.rule.require(owner, repo)
      const place = pathOf`/repos/${owner}/${repo}/issues/${number}`
      const { json } = await host.service.send(place, {}, ctx)
      const said = await comments(host, { path: `${place.path}/comments` }, ctx)
      const issue = toObject(json)
      return foreign(host, [line(issue), toText(issue.body), ...said].join('\n\n'), start)
    },
  )
}

const MAX_PAGES = 5

/** All of them, up to a bound: a conversation in which some words are missing reads as another one. */
async function comments(host: GithubHost, place: { readonly path: string }, ctx: Context): Promise<string[]> {
  const said: string[] = []
  for (let page = 1; page <= MAX_PAGES; page++) {
    const answer = await host.service.send(place, { query: { page, per_page: 100 } }, ctx)
    said.push(...toList(answer.json).map(comment))
    if (!isMore(answer)) return said
  }
  return [...said, `[More than ${MAX_PAGES * 100} comments; the rest is left out.]`]
}

function comment({ user, created_at, submitted_at, path, line: at, state, body }: ReturnType<typeof toObject>): string {
  const place = path === undefined ? '' : ` on ${toLine(path, 400)}:${toText(at)}`
  const verdict = state === undefined ? '' : ` (${toLine(state, 30)})`
  return `--- ${login(user)} ${day(created_at ?? submitted_at)}${verdict}${place}\n${toText(body)}`
}

function getPullRequest(host: GithubHost) {
  const input = {
    ...ONE_INPUT,
    properties: {
      ...ONE_INPUT.properties,
      show: {
        type: 'string',
        enum: ['summary', 'difference', 'reviews'],
        default: 'summary',
        description: 'Its text and files, the whole difference, or what reviewers said',
      },
    },
  } as const
  return tool(
    { title: 'Pull request', description: 'A pull request: what it changes and what reviewers said', input, ...READS },
    async ({ owner, repo, number, show = 'summary', start }, ctx: Context) => {
      host.rule.require(owner, repo)
      const place = pathOf`/repos/${owner}/${repo}/pulls/${number}`
      if (show === 'difference') {
        const { text } = await host.service.send(place, { accept: 'application/vnd.github.diff', as: 'text' }, ctx)
        return foreign(host, text, start)
      }
      if (show === 'reviews') {
        const reviews = await comments(host, { path: `${place.path}/reviews` }, ctx)
        return foreign(
          host,
          [...reviews, ...(await comments(host, { path: `${place.path}/comments` }, ctx))].join('\n\n'),
          start,
        )
      }
      const pull = toObject((await host.service.send(place, {}, ctx)).json)
      const files = await host.service.send({ path: `${place.path}/files` }, { query: { per_page: 100 } }, ctx)
      const more = isMore(files)
        ? '\n\n[More than 100 files; the rest is left out. "show": "difference" has them all.]'
        : ''
      return foreign(host, `${summary(pull, toList(files.json))}${more}`, start)
    },
  )
}

function summary(pull: ReturnType<typeof toObject>, files: ReturnType<typeof toList>): string {
  const { head, base, merged, mergeable_state, additions, deletions, changed_files, draft } = pull
  const state = merged === true ? 'merged' : draft === true ? 'draft' : toLine(mergeable_state, 30)
  const changed = files.map(
    (file) =>
      `${toLine(file.status, 20)} ${toLine(file.filename, 400)} +${toText(file.additions)} -${toText(file.deletions)}`,
  )
  return [
    line(pull),
    `${toLine(toObject(head).label, 200)} into ${toLine(toObject(base).label, 200)} · ${state} · ${toText(changed_files)} files +${toText(additions)} -${toText(deletions)}`,
    toText(pull.body),
    changed.join('\n'),
  ].join('\n\n')
}
