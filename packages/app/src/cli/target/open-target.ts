/** A server that has been opened, whichever way: what `direct-target.ts` and `configured-target.ts` both make. */

import type {
  CallToolResult,
  Client,
  ConnectOptions,
  GetPromptResult,
  JsonObject,
  Prompt,
  ProtocolVersion,
  ReadResourceResult,
  RequestOptions,
  Resource,
  ResourceTemplate,
  Tool,
} from '@portico/sdk/client'
import type { TargetTasks } from './target-tasks.ts'

export interface OpenTarget {
  /** For people: the name, the host, the file, the program. */
  readonly label: string
  /** For what the acts below do not cover. Where rules apply, they are not asked by it. */
  readonly client: Client
  tools(): Promise<readonly Tool[]>
  resources(): Promise<readonly Resource[]>
  templates(): Promise<readonly ResourceTemplate[]>
  prompts(): Promise<readonly Prompt[]>
  callTool(name: string, args: JsonObject, options?: RequestOptions): Promise<CallToolResult>
  readResource(uri: string, options?: RequestOptions): Promise<ReadResourceResult>
  getPrompt(name: string, args: { readonly [name: string]: string }, options?: RequestOptions): Promise<GetPromptResult>
  readonly tasks: TargetTasks
  /** Ends every connection and process. */
  close(): Promise<void>
}

export interface TargetOptions {
  readonly config?: string
  readonly yes?: boolean
  readonly headers?: { readonly [name: string]: string }
  readonly versions?: ProtocolVersion
  /** What is asked of the server may change something: who is cut off is told whether it may have been done. */
  readonly acts?: boolean
  /** A call that goes on by itself: its questions wait for somebody who can be asked. */
  readonly leavesQuestions?: boolean
  /** For servers that are reached directly. */
  readonly connect?: Partial<ConnectOptions>
}
