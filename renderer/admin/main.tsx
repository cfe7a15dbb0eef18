/** The entry point of the admin page. */
import { createRoot } from 'react-dom/client';

const root = document.getElementById('window');
if (root === null) throw new Error('admin.html has no #window');
createRoot(root).render(<p>hello</p>);
