/** `@portico/servers/slack`: a workspace of Slack as a server. */

export type { ReadyServer } from '../../entry.ts'
export { createSlackServer, SLACK_LIMITS, type SlackOptions } from '../../slack/server.ts'
export type { VendorOptions } from '../../vendor/vendor-service.ts'
