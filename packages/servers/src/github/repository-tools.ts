/** The tools that read a repository: what it is, its files, its history, and how its workflows ran. */

import { ToolError, tool } from '@portico/sdk/server'
import { cutStart } from '../text/cut.ts'
import { toLine, toList, toObject, toText } from '../vendor/values.ts'
import { type Context, foreign, READS, START_INPUT } from '../vendor/vendor-host.ts'
import { pathOf, withFile } from '../vendor/vendor-path.ts'
import { VendorError } from '../vendor/vendor-service.ts'
import { day, type GithubHost, login, RAW, readFile, rows } from './host.ts'
import { PAGE_INPUT, PER_PAGE, REPOSITORY_INPUT } from './inputs.ts'

const REF_INPUT = { type: 'string', minLength: 1, maxLength: 250, description: 'A branch, a tag or a commit' } as const

export function createRepositoryTools(host: GithubHost) {
  return {
    get_repository: getRepository(host),
    get_file: getFile(host),
    list_commits: listCommits(host),
    get_commit: getCommit(host),
    list_runs: listRuns(host),
    get_run: getRun(host),
  }
}

function getRepository(host: GithubHost) {
  const input = {
    type: 'object',
    properties: { ...REPOSITORY_INPUT, start: START_INPUT },
    required: ['owner', 'repo'],
    additionalProperties: false,
  } as const
  const description = 'What a repository is: its description, branch, languages, licence, and its README'
  return tool({ title: 'Repository', description, input, ...READS }, async ({ owner, repo, start }, ctx: Context) => {
    host.rule.require(owner, repo)
    const { json } = await host.service.send(pathOf`/repos/${owner}/${repo}`, {}, ctx)
    const about = toObject(json)
    const readme = await host.service
      .send(pathOf`/repos/${owner}/${repo}/readme`, RAW, ctx)
      .then((answer) => answer.text)
      .catch((error: unknown) => {
        if (error instanceof VendorError && error.answered === 404) return 'No README.'
        throw error
      })
    const facts = [
      `${toLine(about.full_name)}${about.private === true ? ' (private)' : ''}${about.archived === true ? ' (archived)' : ''}`,
      toLine(about.description, 400),
      `Default branch ${toLine(about.default_branch, 100)} · ${toLine(about.language, 30)} · ${toLine(toObject(about.license).spdx_id, 40) || 'no licence'}`,
      `${toText(about.stargazers_count)} stars · ${toText(about.open_issues_count)} open issues · pushed ${day(about.pushed_at)}`,
    ]
    return foreign(host, `${facts.join('\n')}\n\n${readme}`, start)
  })
}

function getFile(host: GithubHost) {
  const input = {
    type: 'object',
    properties: {
      ...REPOSITORY_INPUT,
      path: { type: 'string', maxLength: 1000, default: '', description: 'A file or a folder; the root unless given' },
      ref: REF_INPUT,
      start: START_INPUT,
    },
    required: ['owner', 'repo'],
    additionalProperties: false,
  } as const
  const description = 'Reads a file, or lists a folder, at a branch, a tag or a commit'
  return tool({ title: 'File', description, input, ...READS }, async (given, ctx: Context) => {
    const { owner, repo, path = '', ref, start } = given
    host.rule.require(owner, repo)
    const place = withFile(pathOf`/repos/${owner}/${repo}/contents`, path)
    const { json } = await host.service.send(place, { query: { ref } }, ctx)
    if (Array.isArray(json)) {
      const entries = toList(json).map(({ type, path: at, size }) =>
        type === 'dir' ? `${toLine(at, 1000)}/` : `${toLine(at, 1000)} (${toText(size)} bytes)`,
      )
      return foreign(host, entries.join('\n'), start)
    }
    const { type } = toObject(json)
    if (type !== 'file') throw new ToolError(`That is a ${toLine(type, 20) || 'thing of another kind'}, not a file.`)
    return foreign(host, await readFile(host, place, ref, ctx), start)
  })
}

function listCommits(host: GithubHost) {
  const input = {
    type: 'object',
    properties: {
      ...REPOSITORY_INPUT,
      ref: REF_INPUT,
      path: { type: 'string', maxLength: 1000, description: 'Only commits that changed this file or folder' },
      author: { type: 'string', maxLength: 100, description: 'Only commits of this person' },
      since: { type: 'string', format: 'date-time', description: 'Only commits after this time' },
      ...PAGE_INPUT,
    },
    required: ['owner', 'repo'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Commits', description: 'The history of a repository, the newest first', input, ...READS },
    async ({ owner, repo, ref, path, author, since, page = 1, start }, ctx: Context) => {
      host.rule.require(owner, repo)
      const query = { sha: ref, path, author, since, page, per_page: PER_PAGE }
      const answer = await host.service.send(pathOf`/repos/${owner}/${repo}/commits`, { query }, ctx)
      const lines = toList(answer.json).map(({ sha, commit, author: user }) => {
        const { message, author: written } = toObject(commit)
        return `${toLine(sha, 10).slice(0, 9)} ${day(toObject(written).date)} ${login(user)}: ${toLine(toText(message).split('\n', 1)[0])}`
      })
      return rows(host, answer, lines, { page, start })
    },
  )
}

const PATCH = { accept: 'application/vnd.github.patch', as: 'text' } as const

function getCommit(host: GithubHost) {
  const input = {
    type: 'object',
    properties: { ...REPOSITORY_INPUT, ref: REF_INPUT, start: START_INPUT },
    required: ['owner', 'repo', 'ref'],
    additionalProperties: false,
  } as const
  return tool(
    {
      title: 'Commit',
      description: 'One commit: its message, its author, and the difference it made',
      input,
      ...READS,
    },
    async ({ owner, repo, ref, start }, ctx: Context) => {
      host.rule.require(owner, repo)
      const place = pathOf`/repos/${owner}/${repo}/commits/${ref}`
      const { text: patch } = await host.service.send(place, PATCH, ctx)
      return foreign(host, patch, start)
    },
  )
}

function listRuns(host: GithubHost) {
  const input = {
    type: 'object',
    properties: {
      ...REPOSITORY_INPUT,
      branch: { type: 'string', maxLength: 250, description: 'Only runs for this branch' },
      status: { type: 'string', enum: ['success', 'failure', 'in_progress', 'queued', 'cancelled'] },
      ...PAGE_INPUT,
    },
    required: ['owner', 'repo'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Workflow runs', description: 'How the workflows of a repository ran, the newest first', input, ...READS },
    async ({ owner, repo, branch, status, page = 1, start }, ctx: Context) => {
      host.rule.require(owner, repo)
      const query = { branch, status, page, per_page: PER_PAGE }
      const answer = await host.service.send(pathOf`/repos/${owner}/${repo}/actions/runs`, { query }, ctx)
      const lines = toList(toObject(answer.json).workflow_runs).map(
        (run) =>
          `${toText(run.id)} ${toLine(run.conclusion, 20) || toLine(run.status, 20)} · ${toLine(run.name, 80)} · ${toLine(run.head_branch, 80)} · ${toLine(run.display_title)} · ${day(run.created_at)}`,
      )
      return rows(host, answer, lines, { page, start })
    },
  )
}

const BEGINNING = '[The beginning of the log is left out.]\n'

function getRun(host: GithubHost) {
  const input = {
    type: 'object',
    properties: {
      ...REPOSITORY_INPUT,
      run: { type: 'integer', minimum: 1, description: 'The number of the run, from list_runs' },
      job: { type: 'integer', minimum: 1, description: 'A job of it: shows the end of its log' },
      start: START_INPUT,
    },
    required: ['owner', 'repo', 'run'],
    additionalProperties: false,
  } as const
  const description = 'One workflow run: its jobs with the steps that failed; with "job", the end of that job’s log'
  return tool(
    { title: 'Workflow run', description, input, ...READS },
    async ({ owner, repo, run, job, start }, ctx: Context) => {
      host.rule.require(owner, repo)
      if (job !== undefined) {
        // The log lies elsewhere; the token does not go there.
        const log = await host.service.send(
          pathOf`/repos/${owner}/${repo}/actions/jobs/${job}/logs`,
          { elsewhere: true, as: 'text', keepEnd: true },
          ctx,
        )
        const end = cutStart(log.text, host.maxCharacters)
        const cut = log.cut || end.length < log.text.length
        return foreign(
          { ...host, maxCharacters: host.maxCharacters + BEGINNING.length },
          `${cut ? BEGINNING : ''}${end}`,
        )
      }
      const { json } = await host.service.send(pathOf`/repos/${owner}/${repo}/actions/runs/${run}/jobs`, {}, ctx)
      const jobs = toList(toObject(json).jobs).map((one) => {
        const failed = toList(one.steps).filter(({ conclusion }) => conclusion === 'failure')
        const steps = failed.map(({ name }) => `\n    failed: ${toLine(name)}`).join('')
        return `job ${toText(one.id)} ${toLine(one.conclusion, 20) || toLine(one.status, 20)} · ${toLine(one.name)}${steps}`
      })
      return foreign(host, jobs.join('\n'), start)
    },
  )
}
