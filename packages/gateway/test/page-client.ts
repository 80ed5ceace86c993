/** What the page of the browser's test is given. */
export { UmweltClient } from '@umwelt/client';
