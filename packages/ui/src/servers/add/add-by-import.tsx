/** Servers that other programs on this machine already have: choose some, and look at their commands. */

import { Button, Checkbox, Stack, Text, Title } from '@mantine/core'
import { MagnifyingGlassIcon } from '@radix-ui/react-icons'
import type { ImportableProgram } from 'portico/web-api'
import { useState } from 'react'
import { useApi } from '../../app/data/use-api.ts'
import { Empty, FailureNote, Waiting } from '../../app/feedback.tsx'
import { toVisible } from '../../app/text/text.ts'
import { ProblemNote } from '../attention.tsx'
import classes from '../servers.module.css'
import type { WayProps } from './add-by-form.tsx'

export function AddByImport({ active, onProposal }: WayProps) {
  const { data, error, reload } = useApi('servers.importable', active ? {} : undefined)
  if (error !== undefined) return <FailureNote error={error} onRetry={reload} />
  if (data === undefined) return <Waiting rows={3} height={90} />
  if (data.programs.length === 0) {
    return (
      <Empty icon={<MagnifyingGlassIcon width={22} height={22} />} title="No other program has servers">
        The usual configuration files of editors and assistants were checked.
      </Empty>
    )
  }
  return (
    <Stack gap="md">
      {data.programs.map((program) => (
        <Program key={program.file} program={program} onProposal={onProposal} />
      ))}
    </Stack>
  )
}

function Program({ program, onProposal }: { readonly program: ImportableProgram } & Omit<WayProps, 'active'>) {
  const { file, servers, problems } = program
  const free = servers.filter(({ present }) => !present)
  const [chosen, setChosen] = useState<readonly string[]>(free.map(({ name }) => name))
  const picked = free.filter(({ name }) => chosen.includes(name))
  const look = () =>
    onProposal({
      previews: picked,
      send: (call) => call('servers.import', { file, servers: picked.map(({ name }) => name) }),
    })
  return (
    <section className={classes.entry} aria-label={program.program}>
      <div className={classes.entryHead}>
        <Title order={3}>{toVisible(program.program)}</Title>
        <span className={classes.gap} />
        <Button size="compact-sm" variant="light" disabled={picked.length === 0} onClick={look}>
          Review {picked.length === 1 ? 'the one chosen' : `the ${picked.length} chosen`}
        </Button>
      </div>
      <Text className={classes.place} mb="sm">
        {toVisible(file)}
      </Text>
      <Checkbox.Group value={[...chosen]} onChange={setChosen} aria-label={`Servers of ${program.program}`}>
        <Stack gap="xs">
          {servers.map(({ name, shown, present, warnings }) => (
            <Checkbox
              key={name}
              value={name}
              disabled={present}
              label={toVisible(name)}
              description={
                <span className={classes.place}>
                  {present ? 'already here' : toVisible(shown)}
                  {warnings.length > 0 && !present && ` — ${warnings.length} to look at`}
                </span>
              }
            />
          ))}
        </Stack>
      </Checkbox.Group>
      {problems.length > 0 && (
        <Stack gap="xs" mt="sm">
          {problems.map((problem) => (
            <ProblemNote key={`${problem.place.path} ${problem.message}`} problem={problem} />
          ))}
        </Stack>
      )}
    </section>
  )
}
