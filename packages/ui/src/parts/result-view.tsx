/** What a tool, a resource or a prompt answered: content by kind, structured data as a table or tree, and the raw JSON. */

import { Stack, Tabs } from '@mantine/core'
import type { ApiResult } from 'portico/web-api'
import { Note } from '../app/tone.tsx'
import { ContentsView, ContentView } from './content-view.tsx'
import { CopyButton } from './copy-button.tsx'
import { toTable } from './data-table.ts'
import { DataTable } from './data-table-view.tsx'
import { toJson } from './json.ts'
import { JsonView } from './json-view.tsx'
import classes from './result-view.module.css'

type ToolResult = ApiResult<'tools.call'>['result']

export function ToolResultView({ result }: { readonly result: ToolResult }) {
  const { structuredContent, content, isError } = result
  const hasData = structuredContent !== undefined
  const table = toTable(structuredContent)
  return (
    <Stack gap="sm">
      {isError === true && <Note tone="bad" title="The tool says that it failed" />}
      <Tabs defaultValue={table === undefined ? 'content' : 'data'} variant="outline">
        <div className={classes.tabs}>
          <Tabs.List>
            <Tabs.Tab value="content">Content</Tabs.Tab>
            {hasData && <Tabs.Tab value="data">{table === undefined ? 'Data' : 'Table'}</Tabs.Tab>}
            <Tabs.Tab value="raw">JSON</Tabs.Tab>
          </Tabs.List>
          <span className={classes.copy}>
            <CopyButton text={() => toJson(result)} label="Copy the result as JSON" />
          </span>
        </div>
        <Tabs.Panel value="content" pt="sm">
          <Stack gap="sm">
            {content.map((block, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no name and do not move
              <ContentView key={index} block={block} />
            ))}
            {content.length === 0 && <Note tone="calm" title="The answer holds no content" />}
          </Stack>
        </Tabs.Panel>
        {hasData && (
          <Tabs.Panel value="data" pt="sm">
            {table === undefined ? <JsonView value={structuredContent} /> : <DataTable table={table} />}
          </Tabs.Panel>
        )}
        <Tabs.Panel value="raw" pt="sm">
          <JsonView value={result} open={4} label="The result as JSON" />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}

export function ResourceResultView({ result }: { readonly result: ApiResult<'resources.read'>['result'] }) {
  return (
    <Stack gap="sm">
      {result.contents.map((contents, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one resource may come in several parts under one address
        <ContentsView key={index} contents={contents} />
      ))}
      {result.contents.length === 0 && <Note tone="calm" title="The resource is empty" />}
    </Stack>
  )
}

export function PromptResultView({ result }: { readonly result: ApiResult<'prompts.get'>['result'] }) {
  return (
    <Stack gap="sm">
      {result.description !== undefined && <span className={classes.lead}>{result.description}</span>}
      {result.messages.map(({ role, content }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no name and do not move
        <section key={index} className={classes.message} data-role={role} aria-label={`Message of the ${role}`}>
          <span className={classes.role}>{role}</span>
          <ContentView block={content} />
        </section>
      ))}
    </Stack>
  )
}
