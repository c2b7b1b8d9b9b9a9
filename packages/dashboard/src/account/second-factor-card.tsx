/** Second factor: set-up, new backup codes and removal. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { meQuery } from '../api/queries.ts'
import { Problem } from '../app/problem.tsx'
import { type Proof, ProofDialog } from '../app/proof-dialog.tsx'
import { Actions, CardBody, Hint } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { StateMark } from '../kit/icon.tsx'
import { Skeleton } from '../kit/screen.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { BackupCodesDialog } from './backup-codes-dialog.tsx'
import { sessionsQuery, twoFactorQuery } from './queries.ts'
import { SetUpDialog } from './set-up-dialog.tsx'

export const SecondFactorCard = () => {
  const { secondFactor: texts } = useTexts().ownAccount
  const { data, error, refetch } = useQuery(twoFactorQuery)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const refresh = useRefresh()
  const showCodes = (backupCodes: readonly string[]) => {
    setCodes(backupCodes)
    return refresh()
  }
  return (
    <Card title={texts.title}>
      {data === undefined ? (
        error === null ? (
          <Skeleton rows={1} />
        ) : (
          <Problem error={error} onRetry={refetch} />
        )
      ) : data.enabled ? (
        <Enabled state={data} onCodes={showCodes} onDisabled={refresh} />
      ) : (
        <Disabled onCodes={showCodes} />
      )}
      {codes !== null && <BackupCodesDialog codes={codes} onClose={() => setCodes(null)} />}
    </Card>
  )
}

const useRefresh = () => {
  const queryClient = useQueryClient()
  return async () => {
    const changed = [twoFactorQuery, sessionsQuery, meQuery]
    await Promise.all(
      changed.map(({ queryKey }) => queryClient.invalidateQueries({ queryKey: [...queryKey] })),
    )
  }
}

interface DisabledProps {
  onCodes(codes: readonly string[]): Promise<void>
}

const Disabled = ({ onCodes }: DisabledProps) => {
  const { secondFactor: texts } = useTexts().ownAccount
  const [isOpen, setOpen] = useState(false)
  return (
    <CardBody>
      <Actions>
        <StateMark state="none" />
        <span>{texts.off}</span>
      </Actions>
      <Hint>{texts.setUpHint}</Hint>
      <Actions>
        <Button emphasis="primary" onPress={() => setOpen(true)}>
          {texts.setUp}
        </Button>
      </Actions>
      {isOpen && <SetUpDialog onEnabled={onCodes} onClose={() => setOpen(false)} />}
    </CardBody>
  )
}

interface EnabledProps extends DisabledProps {
  state: { enabledAt: string | null; backupCodesRemaining: number }
  onDisabled(): Promise<void>
}

const both = ['password', 'code'] as const

const useProvenActions = ({ onCodes, onDisabled }: EnabledProps, close: () => void) => {
  const renew = useMutation({
    mutationFn: async (proof: Proof) =>
      (await api.POST('/api/v1/auth/2fa/backup-codes', { body: proof })).data.backupCodes,
    onSuccess: (codes) => {
      close()
      return onCodes(codes)
    },
    gcTime: 0,
  })
  const disable = useMutation({
    mutationFn: (proof: Proof) => api.POST('/api/v1/auth/2fa/disable', { body: proof }),
    onSuccess: () => {
      close()
      return onDisabled()
    },
  })
  return { renew, disable }
}

const Enabled = (props: EnabledProps) => {
  const { secondFactor: texts } = useTexts().ownAccount
  const { fill, plural, time } = useFormats()
  const [open, setOpen] = useState<'renew' | 'disable' | null>(null)
  const { renew, disable } = useProvenActions(props, () => setOpen(null))
  const { enabledAt, backupCodesRemaining } = props.state
  const dialog = { asks: both, onClose: () => setOpen(null) }
  return (
    <CardBody>
      <Actions>
        <StateMark state="ok" />
        <span>{fill(texts.on, { time: enabledAt === null ? '' : time(enabledAt) })}</span>
      </Actions>
      <p>{plural(texts.remaining, backupCodesRemaining)}</p>
      <Actions>
        <Button onPress={() => setOpen('renew')}>{texts.renew}</Button>
        <Button emphasis="danger" onPress={() => setOpen('disable')}>
          {texts.disable}
        </Button>
      </Actions>
      {open === 'renew' && (
        <ProofDialog {...dialog} title={texts.renew} submit={texts.renew} action={renew}>
          <p>{texts.renewHint}</p>
        </ProofDialog>
      )}
      {open === 'disable' && (
        <ProofDialog
          {...dialog}
          title={texts.disableTitle}
          submit={texts.disable}
          emphasis="danger"
          action={disable}
        >
          <p>{texts.disableHint}</p>
        </ProofDialog>
      )}
    </CardBody>
  )
}
