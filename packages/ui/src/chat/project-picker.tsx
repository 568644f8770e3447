/** Which project a new conversation belongs to, and what that means; nothing where none is configured. */

import { Select, Text } from '@mantine/core'
import type { ProjectView } from 'portico/web-api'
import { useApi } from '../app/data/use-api.ts'
import { toCount, toVisible } from '../app/text/text.ts'

interface ProjectPickerProps {
  readonly project: string | undefined
  readonly onProject: (name: string | undefined) => void
}

export function ProjectPicker({ project, onProject }: ProjectPickerProps) {
  const projects = useApi('chat.projects', {}).data?.projects ?? []
  if (projects.length === 0) return null
  const chosen = projects.find(({ name }) => name === project)
  return (
    <div>
      <Select
        size="xs"
        mt="xs"
        aria-label="Project of the new conversation"
        placeholder="No project"
        clearable
        data={projects.map(({ name }) => ({ value: name, label: toVisible(name) }))}
        value={chosen?.name ?? null}
        onChange={(name) => onProject(name ?? undefined)}
      />
      {chosen !== undefined && (
        <Text size="xs" c="dimmed" mt={4}>
          {factsOf(chosen)}
        </Text>
      )}
    </div>
  )
}

/** `files and sql · 2 resources attached · instructions · 1 rule` */
function factsOf({ servers, attached, instructions, rules }: ProjectView): string {
  return [
    servers === undefined ? 'all servers' : toVisible(servers.join(', ')),
    ...(attached.length === 0 ? [] : [`${toCount(attached.length, 'resource')} attached`]),
    ...(instructions === undefined ? [] : ['instructions']),
    ...(rules === 0 ? [] : [toCount(rules, 'rule')]),
  ].join(' · ')
}
