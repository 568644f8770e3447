/**
 * The short form of the unit tests, which `npm test` runs so that it ends within half an hour on two cores: tables of dear cases
 * have their first rows, and the dearest files are left out. `npm run unit` runs all of them.
 */

export const isShort = process.env.PORTICO_SHORT === '1'

/** The rows of a table of tests, or the first of them in the short form. */
export function few<T>(rows: readonly T[], count: number): readonly T[] {
  return isShort ? rows.slice(0, count) : rows
}

/** Programs, connections, repositories, browsers and databases in many circumstances; the suites of `npm test` meet them as well. */
export const LONG_FILES: readonly string[] = [
  'examples/account.test.ts',
  'examples/clients.test.ts',
  'examples/examples-http.test.ts',
  'examples/host-tasks.test.ts',
  'examples/programs/programs.test.ts',
  'packages/app/test/bridge.test.ts',
  'packages/app/test/chat.test.ts',
  'packages/app/test/checkout.test.ts',
  'packages/app/test/completion.test.ts',
  'packages/app/test/dev.test.ts',
  'packages/app/test/editor-host.test.ts',
  'packages/app/test/faults.test.ts',
  'packages/app/test/first-hour.test.ts',
  'packages/app/test/first-steps.test.ts',
  'packages/app/test/install.test.ts',
  'packages/app/test/looking.test.ts',
  'packages/app/test/models.test.ts',
  'packages/app/test/newcomer.test.ts',
  'packages/app/test/oldest-server.test.ts',
  'packages/app/test/record.test.ts',
  'packages/app/test/run.test.ts',
  'packages/app/test/serve-refusals.test.ts',
  'packages/app/test/serve-sign-in.test.ts',
  'packages/app/test/serve-state.test.ts',
  'packages/app/test/serve.test.ts',
  'packages/app/test/servers.test.ts',
  'packages/app/test/tasks.test.ts',
  'packages/app/test/typescript-door.test.ts',
  'packages/app/test/using.test.ts',
  'packages/app/test/web/tour.test.ts',
  'packages/app/test/worker.test.ts',
  'packages/host/src/audit/crash.test.ts',
  'packages/host/test/approved-values.test.ts',
  'packages/host/test/gateway-endless.test.ts',
  'packages/host/test/gateway-sign-in.test.ts',
  'packages/host/test/upstream/faults.test.ts',
  'packages/sdk/test/client-faults.test.ts',
  'packages/sdk/test/faults/closing.test.ts',
  'packages/sdk/test/serve-stalled.test.ts',
  'packages/sdk/test/slow-peers.test.ts',
  'packages/servers/src/browser/browser.test.ts',
  'packages/servers/src/graphql/server.test.ts',
  'packages/servers/src/openapi/given-operations.test.ts',
  'packages/servers/src/openapi/server.test.ts',
  'packages/servers/src/run/run.test.ts',
  'packages/servers/src/run/sessions.test.ts',
  'packages/servers/src/sql/sqlite/sqlite-locks.test.ts',
  'packages/servers/test/git/extra.test.ts',
  'packages/servers/test/git/merging.test.ts',
  'packages/servers/test/git/planted.test.ts',
  'packages/servers/test/git/remotes.test.ts',
  'packages/servers/test/git/settings.test.ts',
]
