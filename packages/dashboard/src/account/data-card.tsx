/** Export and deletion of the own account. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, basePath } from '../api/client.ts'
import { givenProof, type Proof, ProofDialog } from '../app/proof-dialog.tsx'
import { Actions, CardBody, Hint } from '../kit/arrangement.tsx'
import { Button, buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'

export const DataCard = () => {
  const { data: texts } = useTexts().ownAccount
  const { user } = useSession()
  const [isOpen, setOpen] = useState(false)
  const remove = useMutation({
    mutationFn: (proof: Proof) => api.DELETE('/api/v1/auth/me', { body: givenProof(proof) }),
    onSuccess: () => location.assign(`${basePath}/sign-in`),
  })
  return (
    <Card title={texts.title}>
      <CardBody>
        <Hint>{texts.exportHint}</Hint>
        <Actions>
          <a
            className={buttonClass()}
            href={`${basePath}/api/v1/auth/me/export`}
            download="account.json"
          >
            {texts.export}
          </a>
        </Actions>
      </CardBody>
      <CardBody>
        <Hint>{texts.deleteHint}</Hint>
        <Actions>
          <Button emphasis="danger" onPress={() => setOpen(true)}>
            {texts.delete}
          </Button>
        </Actions>
      </CardBody>
      {isOpen && (
        <ProofDialog
          title={texts.deleteTitle}
          submit={texts.delete}
          emphasis="danger"
          typed={user.email}
          action={remove}
          onClose={() => setOpen(false)}
        >
          <p>{texts.deleteHint}</p>
        </ProofDialog>
      )}
    </Card>
  )
}
