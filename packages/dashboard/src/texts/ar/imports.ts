/** Arabic texts of the import from Statuspage. */
import type { imports as model } from '../en/imports.ts'

export const imports: typeof model = {
  title: 'الاستيراد من Statuspage',
  intro:
    'الصفحة والمكونات والحوادث وأعمال الصيانة. لا يُرسل شيء إلى المشتركين، ويمكن تكرار الاستيراد.',
  address: 'من الصفحة',
  url: 'عنوان الصفحة',
  urlHint: 'مثل https://status.example.com',
  apiKey: 'مفتاح API في Statuspage',
  apiKeyHint:
    'اختياري. مع المفتاح تُستورد كل الحوادث والألوان، وبدونه آخر 50 حادثًا. لا يُخزَّن المفتاح.',
  read: 'قراءة الصفحة',
  reading: 'جارٍ القراءة …',
  files: 'من ملفات',
  filesHint: 'مستندات JSON من واجهة Statuspage وملف CSV للمشتركين.',
  choose: 'اختيار ملفات',
  badFile: 'الملف {name} ليس مستندًا من Statuspage.',
  plan: 'ما سيُستورد',
  imported: 'ما استُورد',
  done: 'اكتمل الاستيراد.',
  page: 'الصفحة',
  components: 'المكونات',
  incidents: 'الحوادث',
  maintenances: 'أعمال الصيانة',
  subscribers: 'المشتركون',
  counts: '{created} جديدة، {updated} بتحديثات جديدة، {unchanged} دون تغيير',
  people: '{imported} مستوردون، {skipped} متجاوَزون، {failed} فاشلون',
  none: 'لا شيء',
  warnings: 'عُدِّل أو حُذف',
  apply: 'استيراد',
  applying: 'جارٍ الاستيراد …',
  back: 'اختيار مصدر آخر',
}
