/** Sample data for a first look: load them, open their page, and remove them. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { sampleDataQuery } from '../api/queries.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { Button, buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './first-run.module.css'

const kinds = ['CONFIG', 'STATUS_PAGES', 'COMPONENTS', 'INCIDENTS', 'MAINTENANCES'] as const

export const SampleDataCard = () => {
  const { firstRun, actions } = useTexts()
  const { sample: texts } = firstRun
  const { can } = useSession()
  const { time, fill } = useFormats()
  const { data } = useQuery({ ...sampleDataQuery, enabled: can('STATUS_PAGES_VIEW') })
  const { change, error, isPending } = useSampleChange()
  if (data === undefined) return null
  const { loadedAt, statusPage } = data
  const action = loadedAt === null ? 'load' : 'remove'
  const right = loadedAt === null ? 'CREATE' : 'DELETE'
  const mayChange = kinds.every((kind) => can(`${kind}_${right}`))
  if (loadedAt === null && !mayChange) return null
  return (
    <Card title={texts.title}>
      <div className={classes.choice}>
        <p>{loadedAt === null ? texts.hint : fill(texts.loaded, { time: time(loadedAt) })}</p>
        <div className={classes.actions}>
          {statusPage !== null && (
            <a className={buttonClass('secondary')} href={statusPage.url}>
              {actions.openPage}
            </a>
          )}
          {mayChange && (
            <Button onPress={() => change(action)} isDisabled={isPending}>
              {texts[action]}
            </Button>
          )}
        </div>
        <ProblemNote error={error} />
      </div>
    </Card>
  )
}

const useSampleChange = () => {
  const queryClient = useQueryClient()
  const { mutate, error, isPending } = useMutation({
    mutationFn: async (action: 'load' | 'remove') => {
      if (action === 'load') await api.POST('/api/v1/sample-data')
      else await api.DELETE('/api/v1/sample-data')
    },
    // Resources of most kinds have changed.
    onSettled: () => queryClient.invalidateQueries(),
  })
  return { change: mutate, error, isPending }
}
