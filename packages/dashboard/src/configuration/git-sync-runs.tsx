/** Latest syncs with their results, changes proposed to the repository, and the start of a sync. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api } from '../api/client.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { CardBody, Hint } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import type { State } from '../kit/icon.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { Note } from '../kit/note.tsx'
import { Pagination } from '../kit/pagination.tsx'
import { Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import {
  type GitSyncData,
  type GitSyncRunData,
  gitSyncRunsQuery,
  isUnfinished,
  RUNS_PER_PAGE,
} from './queries.ts'

const COMMIT_LENGTH = 10

const states: Record<GitSyncRunData['status'], State> = {
  queued: 'none',
  running: 'work',
  success: 'ok',
  no_changes: 'ok',
  failed: 'down',
}

/** Reasons whose message has details, such as the line of the document; others say all of it. */
const detailedReasons: readonly GitSyncRunData['reason'][] = ['invalid_document', 'not_applied']

export const GitSyncRuns = ({ settings }: { settings: GitSyncData }) => {
  const { gitSync: texts } = useTexts()
  const { can } = useSession()
  const [page, setPage] = useState(1)
  const { data, error } = useQuery(gitSyncRunsQuery(page))
  const start = useStartSync(() => setPage(1))
  useReadAfterSync()
  const total = data?.meta.total ?? 0
  return (
    <>
      <Card
        title={texts.runs}
        aside={
          can('CONFIG_UPDATE') && (
            <Button emphasis="primary" onPress={() => start.mutate()} isDisabled={start.isPending}>
              {texts.syncNow}
            </Button>
          )
        }
      >
        {(start.error !== null || error !== null) && (
          <CardBody>
            <ProblemNote error={start.error ?? error} />
          </CardBody>
        )}
        {data === undefined && error === null && <Skeleton />}
        {data !== undefined && total === 0 && (
          <CardBody>
            <Hint>{texts.noRuns}</Hint>
          </CardBody>
        )}
        <ul aria-label={texts.runs}>
          {data?.data.map((run) => (
            <Run key={run.id} run={run} />
          ))}
        </ul>
        {settings.proposal !== null && <Proposal {...settings.proposal} />}
      </Card>
      <Pagination page={page} total={total} pageSize={RUNS_PER_PAGE} onChange={setPage} />
    </>
  )
}

const useStartSync = (onStarted: () => void) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => api.POST('/api/v1/config/git-sync/sync'),
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: ['configuration', 'git-sync', 'runs'] }),
    onSuccess: onStarted,
  })
}

/**
 * Reads all data again once a sync has ended, whichever page is shown: its changes of resources
 * emit events, but its end and a change of the proposal do not.
 */
const useReadAfterSync = () => {
  const queryClient = useQueryClient()
  const { data } = useQuery(gitSyncRunsQuery(1))
  // An empty text before the first sync has ended; undefined until the list is loaded.
  const ended = data && (data.data.find((run) => !isUnfinished(run))?.id ?? '')
  const known = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (ended === undefined) return
    if (known.current !== undefined && known.current !== ended) void queryClient.invalidateQueries()
    known.current = ended
  }, [ended, queryClient])
}

const Run = ({ run }: { run: GitSyncRunData }) => {
  const { gitSync: texts, configuration } = useTexts()
  const { fill, number, time } = useFormats()
  const { status, trigger, commit, configVersion, timestamp, changes, reason, error } = run
  const { created, updated, deleted } = changes
  const counts = { created: number(created), updated: number(updated), deleted: number(deleted) }
  return (
    <ListRow
      state={states[status]}
      title={texts.statuses[status]}
      facts={[
        reason === null ? null : texts.reasons[reason],
        reason !== null && detailedReasons.includes(reason) ? error : null,
        status === 'success' ? fill(configuration.versions.changes, counts) : null,
        configVersion === null ? null : fill(texts.version, { version: configVersion }),
        commit === null ? null : fill(texts.commit, { commit: commit.slice(0, COMMIT_LENGTH) }),
        texts.triggers[trigger],
        time(timestamp),
      ]}
    />
  )
}

const Proposal = (proposal: NonNullable<GitSyncData['proposal']>) => {
  const { branch, url, proposedAt, error } = proposal
  const { gitSync: texts } = useTexts()
  const { fill, time } = useFormats()
  return (
    <CardBody>
      {error !== null && <Note state="down">{fill(texts.proposalFailed, { error })}</Note>}
      {proposedAt !== null && (
        <p>
          {fill(texts.proposal, { branch, time: time(proposedAt) })}{' '}
          {url !== null && (
            <a href={url} target="_blank" rel="noreferrer">
              {texts.openProposal}
            </a>
          )}
        </p>
      )}
    </CardBody>
  )
}
