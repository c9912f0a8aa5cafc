/** The label that names a project. It exists only with `[metrics] project_label`, because each project adds time series. */
export type ProjectLabel = 'project';
