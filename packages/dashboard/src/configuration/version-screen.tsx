/** One applied document: its differences to the latest one, and its rollback. */
import type { Schemas } from '@status-page/client'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Problem } from '../app/problem.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { Note } from '../kit/note.tsx'
import { Skeleton } from '../kit/screen.tsx'
import { ScrollRegion } from '../kit/scroll-region.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './configuration.module.css'
import { ConfigurationFrame } from './configuration-frame.tsx'
import { DiffView } from './diff-view.tsx'
import { PlanView } from './plan-view.tsx'
import { RefusalNote } from './problems-card.tsx'
import { type ApplyResult, exportQuery, rollBack, versionQuery, versionsQuery } from './queries.ts'
import { useVersionFacts } from './versions-screen.tsx'

type VersionDocument = Schemas['ConfigurationDocument']

export const VersionScreen = () => {
  const { id } = useParams({ from: '/configuration/versions/$id' })
  return (
    <ConfigurationFrame>
      <LoadedVersion key={id} id={id} />
    </ConfigurationFrame>
  )
}

const LoadedVersion = ({ id }: { id: string }) => {
  const version = useQuery(versionQuery(id))
  const versions = useQuery(versionsQuery(1))
  const latestId = versions.data?.data[0]?.id
  // A rollback creates another latest version; its result remains shown until that is loaded.
  const latest = useQuery({
    ...versionQuery(latestId ?? ''),
    enabled: latestId !== undefined,
    placeholderData: keepPreviousData,
  })
  const error = version.error ?? versions.error ?? latest.error
  if (error !== null) return <Problem error={error} onRetry={version.refetch} />
  if (version.data === undefined || latest.data === undefined) return <Skeleton rows={8} />
  return <Version version={version.data} latest={latest.data} />
}

const Version = ({ version, latest }: { version: VersionDocument; latest: VersionDocument }) => {
  const { configuration: texts } = useTexts()
  const { fill } = useFormats()
  const { can } = useSession()
  const facts = useVersionFacts(version)
  const isLatest = version.id === latest.id
  return (
    <>
      <p className={classes.facts}>
        <Link to="/configuration/versions">{texts.versions.all}</Link>
        <strong>{fill(texts.versions.version, { version: version.configVersion })}</strong>
        {facts.map((fact) => fact !== null && <bdi key={fact}>{fact}</bdi>)}
      </p>
      {can('CONFIG_UPDATE') && <RollbackCard version={version} />}
      {!isLatest && (
        <Card
          title={texts.diff.title}
          aside={fill(texts.diff.direction, {
            before: version.configVersion,
            after: latest.configVersion,
          })}
        >
          <DiffView label={texts.diff.title} before={version.document} after={latest.document} />
        </Card>
      )}
      <Card title={texts.versions.document}>
        <ScrollRegion label={texts.versions.document}>
          <pre className={classes.source}>{version.document}</pre>
        </ScrollRegion>
      </Card>
    </>
  )
}

interface RollbackPlan {
  result: ApplyResult
  before: string
  prune: boolean
}

const RollbackCard = ({ version }: { version: VersionDocument }) => {
  const { configuration: texts } = useTexts()
  const { planned, plan, apply, close } = useRollback(version)
  return (
    <Card title={texts.rollback.title}>
      <div className={classes.content}>
        {apply.data !== undefined && <Note state="ok">{texts.rollback.done}</Note>}
        {planned === null ? (
          <>
            <p>{texts.rollback.hint}</p>
            <p>
              <Button onPress={() => plan.mutate(true)} isDisabled={plan.isPending}>
                {plan.isPending ? texts.plan.planning : texts.rollback.plan}
              </Button>
            </p>
          </>
        ) : (
          <RollbackPlanView
            document={version.document}
            planned={planned}
            plan={plan}
            apply={apply}
            onCancel={close}
          />
        )}
        {(apply.error ?? plan.error) !== null && <RefusalNote error={apply.error ?? plan.error} />}
      </div>
    </Card>
  )
}

const useRollback = ({ id }: VersionDocument) => {
  const queryClient = useQueryClient()
  const [planned, setPlanned] = useState<RollbackPlan | null>(null)
  const close = () => setPlanned(null)
  const apply = useMutation({
    mutationFn: (prune: boolean) => rollBack(id, { dryRun: false, prune }),
    async onSuccess() {
      await queryClient.invalidateQueries()
      close()
    },
  })
  const plan = useMutation({
    mutationFn: async (prune: boolean): Promise<RollbackPlan> => {
      const before = await queryClient.fetchQuery(exportQuery)
      return { before, prune, result: await rollBack(id, { dryRun: true, prune }) }
    },
    onMutate: () => apply.reset(),
    onSuccess: setPlanned,
  })
  return { planned, plan, apply, close }
}

interface RollbackPlanViewProps {
  document: string
  planned: RollbackPlan
  plan: ReturnType<typeof useRollback>['plan']
  apply: ReturnType<typeof useRollback>['apply']
  onCancel(): void
}

const RollbackPlanView = (props: RollbackPlanViewProps) => {
  const { document, planned, plan, apply, onCancel } = props
  const { configuration: texts } = useTexts()
  const { result, before, prune } = planned
  const isBusy = plan.isPending || apply.isPending
  return (
    <>
      <PlanView result={result} before={before} after={document} />
      <Checkbox
        label={texts.plan.prune}
        hint={texts.plan.pruneHint}
        isSelected={plan.isPending ? plan.variables : prune}
        onChange={(isSelected) => plan.mutate(isSelected)}
        isDisabled={isBusy}
      />
      <div className={classes.actions}>
        <Button emphasis="primary" onPress={() => apply.mutate(prune)} isDisabled={isBusy}>
          {apply.isPending ? texts.plan.applying : texts.rollback.apply}
        </Button>
        <Button onPress={onCancel} isDisabled={isBusy}>
          {texts.cancel}
        </Button>
      </div>
    </>
  )
}
