/** Fields of a channel: name, connection by its type, filters and message. */
import { Card } from '../kit/card.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { TextField } from '../kit/field.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './channels.module.css'
import { ConfigFields } from './config-fields.tsx'
import { FilterFields } from './filter-fields.tsx'
import type { ChannelFormProps } from './form-props.ts'
import { TemplateFields } from './template-fields.tsx'

export const ChannelFields = (props: ChannelFormProps) => {
  const { channels: texts } = useTexts()
  const { values, errors, isReadOnly, onChange } = props
  return (
    <>
      <Card title={texts.sections.general}>
        <div className={classes.fields}>
          <TextField
            label={texts.name}
            error={errors.name}
            value={values.name}
            onChange={(name) => onChange({ name })}
            maxLength={100}
            isReadOnly={isReadOnly}
            isRequired
          />
          <Checkbox
            label={texts.isEnabled}
            hint={texts.isEnabledHint}
            isSelected={values.isEnabled}
            onChange={(isEnabled) => onChange({ isEnabled })}
            isDisabled={isReadOnly}
          />
        </div>
      </Card>
      <Card title={texts.sections.connection}>
        <div className={classes.fields}>
          <ConfigFields {...props} />
        </div>
      </Card>
      <Card title={texts.sections.filters}>
        <div className={classes.fields}>
          <FilterFields {...props} />
        </div>
      </Card>
      <Card title={texts.sections.template}>
        <div className={classes.fields}>
          <TemplateFields {...props} />
        </div>
      </Card>
    </>
  )
}
