/** Git sync: set-up, or the settings with the webhook and the latest syncs. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { ConfirmDialog } from '../app/confirm-dialog.tsx'
import type { StoredEdit } from '../app/merged-form.ts'
import { Problem } from '../app/problem.tsx'
import { useUnsent } from '../app/unsent.ts'
import { createUnsentStore, type InputOwner } from '../app/unsent-store.ts'
import { Actions, CardBody, Hint } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { Note } from '../kit/note.tsx'
import { Empty, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './configuration.module.css'
import { ConfigurationFrame } from './configuration-frame.tsx'
import { GitSyncForm } from './git-sync-form.tsx'
import { GitSyncRuns } from './git-sync-runs.tsx'
import {
  changeEdit,
  documentRights,
  type GitSyncValues,
  newEdit,
  newGitSyncValues,
} from './git-sync-values.ts'
import { type GitSyncData, gitSyncQuery } from './queries.ts'
import { WebhookCard } from './webhook-card.tsx'

export const GitSyncScreen = () => (
  <ConfigurationFrame>
    <GitSync />
  </ConfigurationFrame>
)

const GitSync = () => {
  const { data, error, refetch } = useQuery(gitSyncQuery)
  // The secret of the webhook is in the reply of the write that created it, and in no other.
  const [secret, setSecret] = useState<string | null>(null)
  const [deleted, setDeleted] = useState<GitSyncValues | null>(null)
  if (data === undefined) {
    return error === null ? <Skeleton rows={6} /> : <Problem error={error} onRetry={refetch} />
  }
  if (data === null) {
    const onSetUp = (created: string | null) => {
      setSecret(created)
      setDeleted(null)
    }
    return <SetUp deleted={deleted} onSecret={onSetUp} />
  }
  return <Settings settings={data} secret={secret} onSecret={setSecret} onDeleted={setDeleted} />
}

interface SetUpProps {
  /** Settings that this user wanted to save after another one had deleted them. */
  deleted: GitSyncValues | null
  onSecret(secret: string | null): void
}

const SetUp = ({ deleted, onSecret }: SetUpProps) => {
  const { gitSync: texts } = useTexts()
  const { can } = useSession()
  if (!can('CONFIG_CREATE') || !documentRights.every(can)) {
    return (
      <Empty title={texts.empty} hint={texts.emptyHint}>
        {can('CONFIG_CREATE') && <p>{texts.rightsHint}</p>}
      </Empty>
    )
  }
  return <SetUpForm deleted={deleted} onSecret={onSecret} />
}

const SetUpForm = ({ deleted, onSecret }: SetUpProps) => {
  const { gitSync: texts } = useTexts()
  const { organization, user } = useSession()
  const [hasDeleted] = useState(() =>
    takeDeleted({ organizationId: organization.id, userId: user.id }, deleted),
  )
  return (
    <Card title={texts.setUp}>
      <CardBody>
        {hasDeleted && <Note state="slow">{texts.deleted}</Note>}
        <Hint>{texts.emptyHint}</Hint>
        <GitSyncForm settings={null} isReadOnly={false} onSecret={onSecret} />
      </CardBody>
    </Card>
  )
}

/**
 * Stores settings that another user has deleted, or unsent changes of them, as input of the set-up,
 * whose form reads it. Returns whether there were any.
 */
const takeDeleted = (owner: InputOwner, deleted: GitSyncValues | null): boolean => {
  const changes = createUnsentStore<StoredEdit<GitSyncValues>>(owner, changeEdit)
  const mine = deleted ?? changes.read()?.mine
  if (mine === undefined) return false
  const setUp = createUnsentStore<StoredEdit<GitSyncValues>>(owner, newEdit)
  setUp.write({ base: newGitSyncValues, mine })
  changes.write(null)
  return true
}

interface SettingsProps {
  settings: GitSyncData
  secret: string | null
  onSecret(secret: string | null): void
  /** Reports a deletion; with the values to save if another user has deleted the settings. */
  onDeleted(values: GitSyncValues | null): void
}

const Settings = ({ settings, secret, onSecret, onDeleted }: SettingsProps) => {
  const { gitSync: texts } = useTexts()
  const { can } = useSession()
  const isReadOnly = !can('CONFIG_UPDATE') || !documentRights.every(can)
  return (
    <div className={classes.columns}>
      <div className={classes.stack}>
        <GitSyncRuns settings={settings} />
        <Card title={texts.settings}>
          <CardBody>
            {isReadOnly && can('CONFIG_UPDATE') && <Hint>{texts.rightsHint}</Hint>}
            <GitSyncForm
              settings={settings}
              isReadOnly={isReadOnly}
              onSecret={onSecret}
              onDeleted={onDeleted}
            />
          </CardBody>
        </Card>
      </div>
      <div className={classes.stack}>
        <WebhookCard settings={settings} secret={secret} onSecret={onSecret} />
        {can('CONFIG_DELETE') && <RemoveGitSync onDeleted={() => onDeleted(null)} />}
      </div>
    </div>
  )
}

const RemoveGitSync = ({ onDeleted }: { onDeleted(): void }) => {
  const { gitSync: texts } = useTexts()
  const queryClient = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [, storeEdit] = useUnsent(changeEdit)
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api/v1/config/git-sync'),
    onSuccess() {
      storeEdit(null)
      onDeleted()
      return queryClient.invalidateQueries(gitSyncQuery)
    },
  })
  return (
    <Actions>
      <Button emphasis="danger" onPress={() => setOpen(true)}>
        {texts.remove}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={texts.removeTitle}
          confirm={texts.remove}
          action={remove}
          onClose={() => setOpen(false)}
        >
          <p>{texts.removeHint}</p>
        </ConfirmDialog>
      )}
    </Actions>
  )
}
