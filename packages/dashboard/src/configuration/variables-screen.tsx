/** Variables of the document: their names, and forms that set their values, which are never shown. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Problem } from '../app/problem.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { Pagination } from '../kit/pagination.tsx'
import { Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './configuration.module.css'
import { ConfigurationFrame } from './configuration-frame.tsx'
import { variablesQuery } from './queries.ts'
import { DeleteVariableDialog, ReplaceValueDialog } from './variable-dialogs.tsx'
import { VariableForm } from './variable-form.tsx'

export const VariablesScreen = () => (
  <ConfigurationFrame>
    <Variables />
  </ConfigurationFrame>
)

const Variables = () => {
  const { configuration } = useTexts()
  const { variables: texts } = configuration
  const { number } = useFormats()
  const { can } = useSession()
  const [page, setPage] = useState(1)
  const { data, error, refetch } = useQuery(variablesQuery(page))
  if (data === undefined) {
    return error === null ? <Skeleton /> : <Problem error={error} onRetry={refetch} />
  }
  const { total, pageSize } = data.meta
  return (
    <div className={classes.columns}>
      <div className={classes.stack}>
        <Card title={texts.title} count={number(total)}>
          {total === 0 && <p className={classes.calm}>{texts.empty}</p>}
          <ul>
            {data.data.map((variable) => (
              <VariableRow key={variable.name} {...variable} />
            ))}
          </ul>
        </Card>
        <Pagination page={page} total={total} pageSize={pageSize} onChange={setPage} />
      </div>
      {can('CONFIG_UPDATE') && (
        <Card title={texts.add}>
          <VariableForm />
        </Card>
      )}
    </div>
  )
}

const VariableRow = ({ name, updatedAt }: { name: string; updatedAt: string }) => {
  const { configuration } = useTexts()
  const { variables: texts } = configuration
  const { fill, time } = useFormats()
  const { can } = useSession()
  const [dialog, setDialog] = useState<'replace' | 'delete' | null>(null)
  const close = () => setDialog(null)
  return (
    <ListRow
      state="none"
      title={<code>{name}</code>}
      facts={[fill(texts.updated, { time: time(updatedAt) })]}
      actions={
        <>
          {can('CONFIG_UPDATE') && (
            <Button
              onPress={() => setDialog('replace')}
              aria-label={fill(texts.replaceOf, { name })}
            >
              {texts.replace}
            </Button>
          )}
          {can('CONFIG_DELETE') && (
            <Button
              emphasis="danger"
              onPress={() => setDialog('delete')}
              aria-label={fill(texts.deleteOf, { name })}
            >
              {texts.delete}
            </Button>
          )}
          {dialog === 'replace' && <ReplaceValueDialog name={name} onClose={close} />}
          {dialog === 'delete' && <DeleteVariableDialog name={name} onClose={close} />}
        </>
      }
    />
  )
}
