/** The tools that change something; each shows the user all that would be sent, and asks. */

import { tool } from '@portico/sdk/server'
import { toLine, toObject } from '../vendor/values.ts'
import { type Context, change, WRITES } from '../vendor/vendor-host.ts'
import { pathOf } from '../vendor/vendor-path.ts'
import type { VendorAnswer } from '../vendor/vendor-service.ts'
import type { GithubHost } from './host.ts'
import { BODY_INPUT, NUMBER_INPUT, REPOSITORY_INPUT } from './inputs.ts'

const TITLE_INPUT = { type: 'string', minLength: 1, maxLength: 256 } as const
const NAMES_INPUT = { type: 'array', maxItems: 20, items: { type: 'string', minLength: 1, maxLength: 100 } } as const
const BRANCH_INPUT = { type: 'string', minLength: 1, maxLength: 250 } as const

export function createWriteTools(host: GithubHost) {
  return {
    create_issue: createIssue(host),
    update_issue: updateIssue(host),
    add_comment: addComment(host),
    create_pull_request: createPullRequest(host),
  }
}

/** Where what was made can be seen. */
function addressOf({ json }: VendorAnswer): string {
  return toLine(toObject(json).html_url, 500)
}

function createIssue(host: GithubHost) {
  const input = {
    type: 'object',
    properties: {
      ...REPOSITORY_INPUT,
      title: TITLE_INPUT,
      body: BODY_INPUT,
      labels: NAMES_INPUT,
      assignees: NAMES_INPUT,
    },
    required: ['owner', 'repo', 'title'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Open an issue', description: 'Opens an issue, after the user has agreed', input, ...WRITES },
    async ({ owner, repo, ...body }, ctx: Context) => {
      host.rule.require(owner, repo)
      const path = pathOf`/repos/${owner}/${repo}/issues`
      return change(
        host,
        { question: `Open an issue in ${owner}/${repo}?`, method: 'POST', path, body },
        ctx,
        addressOf,
      )
    },
  )
}

function updateIssue(host: GithubHost) {
  const input = {
    type: 'object',
    properties: {
      ...REPOSITORY_INPUT,
      number: NUMBER_INPUT,
      title: TITLE_INPUT,
      body: BODY_INPUT,
      state: { type: 'string', enum: ['open', 'closed'] },
      state_reason: { type: 'string', enum: ['completed', 'not_planned', 'reopened'] },
      labels: { ...NAMES_INPUT, description: 'All labels it shall have' },
      assignees: { ...NAMES_INPUT, description: 'All who shall be assigned' },
    },
    required: ['owner', 'repo', 'number'],
    additionalProperties: false,
  } as const
  return tool(
    {
      title: 'Change an issue',
      description:
        'Changes an issue or a pull request: state, title, text, labels, assignees; after the user has agreed',
      input,
      ...WRITES,
      destructive: true,
      idempotent: true,
    },
    async ({ owner, repo, number, ...body }, ctx: Context) => {
      host.rule.require(owner, repo)
      const path = pathOf`/repos/${owner}/${repo}/issues/${number}`
      return change(
        host,
        { question: `Change ${owner}/${repo}#${number}?`, method: 'PATCH', path, body },
        ctx,
        addressOf,
      )
    },
  )
}

function addComment(host: GithubHost) {
  const input = {
    type: 'object',
    properties: { ...REPOSITORY_INPUT, number: NUMBER_INPUT, body: BODY_INPUT },
    required: ['owner', 'repo', 'number', 'body'],
    additionalProperties: false,
  } as const
  return tool(
    {
      title: 'Comment',
      description: 'Comments on an issue or a pull request, after the user has agreed',
      input,
      ...WRITES,
    },
    async ({ owner, repo, number, body }, ctx: Context) => {
      host.rule.require(owner, repo)
      const path = pathOf`/repos/${owner}/${repo}/issues/${number}/comments`
      return change(
        host,
        { question: `Comment on ${owner}/${repo}#${number}?`, method: 'POST', path, body: { body } },
        ctx,
        addressOf,
      )
    },
  )
}

function createPullRequest(host: GithubHost) {
  const input = {
    type: 'object',
    properties: {
      ...REPOSITORY_INPUT,
      title: TITLE_INPUT,
      body: BODY_INPUT,
      head: { ...BRANCH_INPUT, description: 'The branch with the changes; "owner:branch" for one of a fork' },
      base: { ...BRANCH_INPUT, description: 'The branch they shall go into' },
      draft: { type: 'boolean', description: 'Not yet to be merged' },
    },
    required: ['owner', 'repo', 'title', 'head', 'base'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Open a pull request', description: 'Opens a pull request, after the user has agreed', input, ...WRITES },
    async ({ owner, repo, ...body }, ctx: Context) => {
      host.rule.require(owner, repo)
      const path = pathOf`/repos/${owner}/${repo}/pulls`
      return change(
        host,
        { question: `Open a pull request in ${owner}/${repo}?`, method: 'POST', path, body },
        ctx,
        addressOf,
      )
    },
  )
}
