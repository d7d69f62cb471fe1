// What the served library takes from the report page's script, which it loads first: the
// page with its charts is in the program once. Each name is that of a module, with _ for /.

export * as charts_common from "./charts/common";
export * as charts_figure from "./charts/figure";
export * as charts_shapes from "./charts/shapes";
export * as charts_subject from "./charts/subject";
export * as charts_time from "./charts/time";
export * as dom from "./dom";
export * as format from "./format";
export * as page_brand from "./page/brand";
export * as page_charts from "./page/charts";
export * as page_durability from "./page/durability";
export * as page_page from "./page/page";
export * as page_results from "./page/results";
export * as page_words from "./page/words";
export * as theme from "./theme";
