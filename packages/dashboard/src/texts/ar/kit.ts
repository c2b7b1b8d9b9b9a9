/** Arabic texts of controls of the kit. */
import type { kit as model } from '../en/kit.ts'

export const kit: typeof model = {
  editor: {
    preview: 'معاينة',
    marks: {
      bold: 'عريض',
      italic: 'مائل',
      code: 'رمز',
      others: 'قوائم واقتباسات وروابط',
    },
  },
  copy: {
    copy: 'نسخ',
    copied: 'تم النسخ',
    failed: 'لم يُنسخ النص. حدده وانسخه بنفسك.',
  },
  dialogs: { cancel: 'إلغاء' },
  choices: {
    search: 'البحث في الخيارات',
    none: 'لا يوجد خيار مطابق',
    more: 'توجد خيارات أخرى. ابحث عنها.',
  },
  joins: {
    labelled: '{label}: {value}',
    separator: '، ',
    arrow: '←',
  },
}
